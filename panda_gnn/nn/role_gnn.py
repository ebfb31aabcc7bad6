"""Models whose nodes have roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from torch import Tensor, nn

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.models import BACKBONES, GNN, PLAIN_LAYERS
from panda_gnn.nn.panda_conv import Factory, PlainConv
from panda_gnn.nn.readout import graphs_of, mean_of_roles
from panda_gnn.nn.role_conv import RoleGain, RoleLowRank, one_hot_roles
from panda_gnn.nn.role_pairs import RolePairsGCN
from panda_gnn.nn.role_widths import RolePartition, RoleWidthConv
from panda_gnn.nn.selectors import SELECTORS
from panda_gnn.options import whole_number

RUNGS: Mapping[str, Sequence[str]] = MappingProxyType(
    {"gain": BACKBONES, "low-rank": BACKBONES, "pairs": ("gcn",), "widths": BACKBONES}
)
"""The ways to treat roles differently, each with the backbones that it is for."""


class RoleGNN(GNN):
    r"""The counterpart of :class:`~panda_gnn.nn.GNN` for nodes with roles: the same stack, whose
    convolutions treat roles differently.

    There is a ladder of ways to do so, and PANDA is on it:

    ==============  ==============================================================================
    ``"gain"``      a gain and a bias for each role (:class:`~panda_gnn.nn.RoleGain`)
    ``"low-rank"``  a low-rank change of the weights for each role
                    (:class:`~panda_gnn.nn.RoleLowRank`)
    ``"pairs"``     weights for every pair of roles, of GCN (:class:`~panda_gnn.nn.RolePairsGCN`)
    ``"widths"``    a width for each role, with messages expanded and selected between them
                    (:class:`~panda_gnn.nn.RoleWidthConv`)
    ==============  ==============================================================================

    The first three start as the plain backbone. With ``rung="widths"``, two roles by
    ``AssignRoles(k=...)`` and, for GCN, ``residual=True, self_loops=False, bias=False``, this is
    :class:`~panda_gnn.nn.PandaGNN`.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        num_roles: The number of roles.
        rung: How roles are treated differently.
        backbone: ``"gcn"``, ``"gin"``, ``"rgcn"`` or ``"rgin"``; ``"pairs"`` is for
            ``"gcn"`` alone.
        rank: The rank of ``"low-rank"``, by default 4.
        widths: The hidden width of each role, for ``"widths"``.
        selector: What a narrow node takes of a wide one, for ``"widths"``: ``"topk"``, the
            default, ``"sorted"``, ``"gated"``, ``"gated-fixed"`` or ``"linear"``.
        readout: ``"mean"``; ``"role"`` for the sum of the means over the nodes of each role, each
            with weights of its own in the last layer; ``None`` for one output for each node.
        **options: Those of :class:`~panda_gnn.nn.GNN` (except ``last_layer_fa``) and of the
            backbone's layers. Models with ``"widths"`` have neither batch norm nor head.

    Shapes:
        - **input:** ``x`` :math:`(|V|, F)`, ``edge_index`` :math:`(2, |E|)`, ``role`` :math:`(|V|)`
        - **output:** one row for each graph, :math:`(G, C)`, or for each node without a read-out

    Example:
        >>> import torch
        >>> from panda_gnn.nn import RoleGNN
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> role = torch.tensor([0, 1, 1, 0])  # or data.role of AssignRoles
        >>> RoleGNN(7, 2, num_roles=2, width=16)(x, edge_index, role=role).shape
        torch.Size([1, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        num_roles: int,
        rung: str = "gain",
        backbone: str = "gcn",
        rank: int | None = None,
        widths: Sequence[int] | None = None,
        selector: str | None = None,
        readout: str | None = "mean",
        **options: Any,
    ) -> None:
        self.num_roles = whole_number("num_roles", num_roles, 1)
        self.rung = choose("rung", rung, RUNGS)
        choose("backbone", backbone, RUNGS[rung], f"of the rung '{rung}'")
        choose("readout", str(readout), ("mean", "role", "None"))
        if options.pop("last_layer_fa", False):
            raise InputError("last_layer_fa is an option of GNN, not of RoleGNN")
        for name, value, own in (("rank", rank, "low-rank"), ("selector", selector, "widths")):
            if value is not None and rung != own:
                raise InputError(f"{name} is for the rung '{own}', not for '{rung}'")
        self.rank = whole_number("rank", 4 if rank is None else rank, 1)
        self.selector = choose("selector", selector or "topk", SELECTORS)
        if (rung == "widths") != (widths is not None):
            raise InputError(
                f"rung is '{rung}' and widths are {widths}: 'widths' and no other rung needs the "
                "width of each role"
            )
        self.widths = None if widths is None else _checked_widths(widths, num_roles)
        if rung == "gain" and backbone == "gcn" and "bias" in options:
            raise InputError("bias is not for the rung 'gain': every role has a bias of its own")
        if self.widths is not None:
            if options.get("width", self.widths[0]) != self.widths[0]:
                raise InputError(
                    f"width is {options['width']} and widths are {self.widths}, which say how wide "
                    "each role is: leave width out"
                )
            if options.get("batch_norm") or options.get("head_layers"):
                raise InputError("roles of different widths go without batch_norm and head_layers")
            options["width"] = self.widths[0]
        #: Whether the read-out has a mean for each role.
        self.reads_roles = readout == "role"
        if self.reads_roles:
            if options.get("head_layers"):
                raise InputError("a read-out for each role goes without head_layers")
            readout, out_channels = None, out_channels * num_roles
        super().__init__(in_channels, out_channels, backbone=backbone, readout=readout, **options)

    def _make_layers(
        self, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> list[Any]:
        if self.widths is None:
            return super()._make_layers(backbone, widths, options)
        make = partial(PLAIN_LAYERS[str(backbone)], **options)
        last = len(widths) - 2
        channels = [(widths[0],) * self.num_roles, *[self.widths] * last]
        channels.append((widths[-1],) * self.num_roles)
        return [
            RoleWidthConv(
                make, *channels[i : i + 2], selector=self.selector, **self._layer_options(i)
            )
            for i in range(last + 1)
        ]

    def _plain_layer(
        self, i: int, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> PlainConv:
        if self.rung == "gain" and backbone == "gcn":  # every role has a bias already
            options = {**options, "bias": False}
        conv: Factory = partial(PLAIN_LAYERS[str(backbone)], **options)
        rungs: dict[str, Factory] = {
            "gain": partial(RoleGain, conv),
            "low-rank": partial(RoleLowRank, conv, rank=self.rank),
            "pairs": partial(RolePairsGCN, **options),
        }
        make = partial(rungs[self.rung], num_roles=self.num_roles)
        return PlainConv(make, *widths[i : i + 2], **self._layer_options(i))

    def states(self, x: Tensor, edges: Edges, other: Edges | None = None) -> list[Tensor]:
        """The node states after every layer; without a head the last are the scores.

        Those of roles with different widths have zeros after the width of their role.
        """
        if self.widths is None:
            return super().states(x, edges, other)
        if other is not None:
            raise InputError("roles of different widths go without other edges: leave other out")
        partition = RolePartition(edges, self.num_roles)
        states = []
        for by_role in self._states_by_role(x, partition):
            width = max(part.size(1) for part in by_role)
            padded = [nn.functional.pad(part, (0, width - part.size(1))) for part in by_role]
            states.append(partition.merge(padded))
        return states

    def _states_by_role(self, x: Tensor, partition: RolePartition) -> Iterator[list[Tensor]]:
        """The states of the nodes of each role after every layer."""
        by_role = partition.split(x if self.encoder is None else self.encoder(x))
        for i in range(len(self.layers)):
            by_role = self._run(self._role_step, i, partition.whole, by_role)
            yield by_role

    def _last_states(self, x: Tensor, edges: Edges) -> Tensor:
        """The last of :meth:`states`, in which all roles have one width."""
        if self.widths is None:
            return self.states(x, edges)[-1]
        partition = RolePartition(edges, self.num_roles)
        *_, last = self._states_by_role(x, partition)
        return partition.merge(last)

    def _role_step(self, i: int, edges: Edges, by_role: Sequence[Tensor]) -> list[Tensor]:
        out = self.layers[i](by_role, edges, self._layer_dropout(i))
        pairs = zip(out, by_role, strict=True)
        return [self._finish(i, new, before, self.norms) for new, before in pairs]

    def forward(  # type: ignore[override]
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        role: Tensor | None = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_type: Tensor | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``.

        Args:
            x: Node features, shape ``[num_nodes, in_channels]``.
            edge_index: The edges, as a tensor or prepared as :class:`~panda_gnn.nn.Edges` with the
                role of each node.
            role: The role of each node, such as ``data.role`` of
                :class:`~panda_gnn.transforms.AssignRoles`; needed where ``edge_index`` is a tensor.
            edge_weight: This and the arguments after it are those of
                :meth:`GNN.forward <panda_gnn.nn.GNN.forward>`; no layer with roles reads
                ``edge_attr``.
        """
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        edges = self._edges(x, edge_index, batch, num_graphs, role, **values)
        out = self.read(self._last_states(x, edges), edges.batch, edges.num_graphs)
        if not self.reads_roles:
            return out
        shares = one_hot_roles(edges, self.num_roles, out.dtype)
        return mean_of_roles(out, shares, *graphs_of(out, edges.batch, edges.num_graphs))


def _checked_widths(widths: Any, num_roles: int) -> tuple[int, ...]:
    try:
        checked = tuple(whole_number("widths", width, 1) for width in widths)
    except (TypeError, InputError):
        checked = ()
    if len(checked) != num_roles:
        raise InputError(
            f"widths are {widths}, they must be {num_roles} whole numbers from 1 on, one for each "
            "role"
        )
    return checked

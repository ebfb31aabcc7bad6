"""What width-awareness costs: PANDA-GCN and PANDA-GIN beside PyG's GCN and GIN.

For each dataset and backbone one table, from one run on one thread in which all models take turns
on the same batches of 64 graphs. Times are medians of CPU time. A forward pass is without gradients
and dropout; a training step has dropout, loss, backward pass and fused Adam. Both include the
preparation of the edges (partition, sparse rows, normalisation), which is shown once more by
itself. Settings are the paper's best for the dataset and the backbone.

Below stand the matrix products alone that a forward pass of ours makes, with the very matrices, one
after the other into memory that is there already: what no layer of these widths can avoid. A
forward pass is compared with them, a training step with three times their time, because both
gradients of a product cost as much as it does.

    python benchmarks/layers.py [--datasets mutag,enzymes,...|all] [--backbones gcn,gin]
                                [--seconds 8] [--dropout 0.5] [--mirror FOLDER] [--profile]

With ``--profile`` the tables say instead where the time of a training step of our models goes.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle, pairwise
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool

import panda_gnn
from panda_gnn.datasets import load
from panda_gnn.nn import GNN, Edges, PandaGNN, WidthPartition
from panda_gnn.nn.gin import perceptron
from panda_gnn.nn.kernels import edge_rows, row_weights, width_rows
from panda_gnn.nn.kernels.jit import Kernel
from panda_gnn.paper import best_settings
from panda_gnn.transforms import ExpandWidth

ALL = "mutag,enzymes,proteins,imdb-binary,reddit-binary,collab"
AFFORDABLE = "mutag,enzymes,proteins,imdb-binary"
BATCHES = 4
PROFILED = 40

#: The parts of a training step, and how the names of what torch's profiler counts there begin.
PARTS = {
    "matrix products": ("aten::mm", "aten::addmm"),
    "sums over neighbours": ("_add_rows",),
    "ranking": ("_rank",),
    "gathering": ("_add_selected",),
    "ReLU, residual, dropout": ("_update_", "_scale_or_zero", "_draw"),
    "optimiser": ("Optimizer.", "aten::_foreach"),
    "other operators of torch": ("aten::",),
    "rows and read-out": ("panda_gnn::", "_sort_by", "_transpose", "_normalise", "_means"),
}

PRODUCTS = (torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.addmm_)

Call = Callable[[Data], Any]


class PyG(nn.Module):
    """The stack of :class:`panda_gnn.nn.GNN` with PyG's own convolutions."""

    def __init__(self, in_channels: int, out_channels: int, backbone: str, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        widths = [in_channels, 64, 64, 64, 64, out_channels]
        self.convs = nn.ModuleList(
            GCNConv(i, o) if backbone == "gcn" else GINConv(perceptron(i, o, o))
            for i, o in pairwise(widths)
        )

    def forward(self, data: Data) -> Tensor:
        x = data.x
        for conv in self.convs[:-1]:
            x = F.dropout(conv(x, data.edge_index).relu(), self.dropout, self.training)
        x = self.convs[-1](x, data.edge_index)
        out: Tensor = global_mean_pool(x, data.batch, data.num_graphs)
        return out


class Literal(nn.Module):
    """PANDA as the paper writes it, with the weights of another model: four kinds of edges, each
    with its messages, everything computed where it is needed."""

    def __init__(self, model: PandaGNN) -> None:
        super().__init__()
        self.model = model
        self.ranks_logits = False

    def forward(self, data: Data) -> Tensor:
        low, high = self.states(data)[-1]
        out = low.new_empty(data.num_nodes, low.size(1))
        out = out.index_copy(0, (~data.high).nonzero().view(-1), low)
        out = out.index_copy(0, data.high.nonzero().view(-1), high)
        pooled: Tensor = global_mean_pool(out, data.batch, data.num_graphs)
        return pooled

    def states(self, data: Data) -> list[tuple[Tensor, Tensor]]:
        states = []
        low, high = data.x[~data.high], data.x[data.high]
        for i, layer in enumerate(self.model.layers):
            if i > 0:
                low = F.dropout(low, self.model.dropout, self.training)
                high = F.dropout(high, self.model.dropout, self.training)
            low, high = self.layer(layer, low, high, data)
            states.append((low, high))
        return states

    def layer(self, layer: Any, low: Tensor, high: Tensor, data: Data) -> tuple[Tensor, Tensor]:
        x = low, high
        source, target = data.edge_index
        mask = data.high
        position = torch.where(mask, mask.cumsum(0), (~mask).cumsum(0)) - 1
        gcn = self.model.backbone == "gcn"
        degree = (
            x[0].new_zeros(data.num_nodes).index_add(0, target, torch.ones_like(target).to(low))
        )
        sums = [torch.zeros_like(low), torch.zeros_like(high)]
        for from_high in (False, True):
            for to_high in (False, True):
                chosen = (mask[source] == from_high) & (mask[target] == to_high)
                u, v = source[chosen], target[chosen]
                messages = x[from_high][position[u]]
                if layer.expand is not None and to_high and not from_high:
                    messages = layer.expand(messages)
                elif layer.selector is not None and from_high and not to_high:
                    both = torch.cat([messages, low[position[v]]], dim=1)
                    scores = layer.selector.eta.first(both)
                    if not self.ranks_logits:
                        scores = scores.sigmoid().softmax(dim=1)
                    best = scores.topk(layer.selector.width, dim=1).indices
                    messages = messages.gather(1, best)
                if gcn:
                    messages = messages * (degree[u] * degree[v]).pow(-0.5).view(-1, 1)
                sums[to_high] = sums[to_high].index_add(0, position[v], messages)
        new = []
        for own, total, conv in zip(x, sums, (layer.low, layer.high), strict=True):
            out = conv.linear(total) if gcn else conv.mlp((1 + conv.eps) * own + total)
            out = out if layer.activation is None else layer.activation(out)
            new.append(own + out if layer.residual and own.shape == out.shape else out)
        return new[0], new[1]


def plainly(model: GNN) -> Call:
    return lambda data: model(data.x, data.edge_index, batch=data.batch, num_graphs=data.num_graphs)


def widely(model: PandaGNN) -> Call:
    return lambda data: model(
        data.x, data.edge_index, data.high, batch=data.batch, num_graphs=data.num_graphs
    )


def in_torch(call: Call) -> Call:
    def wrapped(data: Data) -> Any:
        with panda_gnn.backend("torch"):
            return call(data)

    return wrapped


def forward(model: nn.Module, call: Call) -> Call:
    model.eval()

    def run(data: Data) -> None:
        with torch.no_grad():
            call(data)

    return run


def step(model: nn.Module, call: Call) -> Call:
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=1e-3, fused=True)
    model.train()

    def run(data: Data) -> None:
        optimizer.zero_grad()
        F.cross_entropy(call(data), data.y).backward()
        optimizer.step()

    return run


def edges_of(self_loops: bool | None) -> Call:
    """The preparation of a plain graph for a training step; without normalisation for GIN."""

    def prepare(data: Data) -> None:
        edges = Edges.of_graph(data.edge_index, data.num_nodes)
        if self_loops is None:
            row_weights.edge_weights(edges, None, data.x.dtype)
        else:
            row_weights.normalised_weights(edges, self_loops, data.x.dtype)
        edge_rows.source_rows(edges)

    return prepare


def partition_of(normalised: bool) -> Call:
    """The preparation of a partitioned graph for a training step."""

    def prepare(data: Data) -> None:
        partition = WidthPartition(data.edge_index, data.high)
        if normalised:
            row_weights.width_normalised_weights(partition, False, data.x.dtype)
        else:
            row_weights.width_edge_weights(partition, data.x.dtype)
        width_rows.width_source_rows(partition)

    return prepare


def partition_in_torch(normalised: bool) -> Call:
    def prepare(data: Data) -> None:
        partition = WidthPartition(data.edge_index, data.high)
        for half in (partition.into_low, partition.into_high):
            if normalised:
                half.norm(False, data.x.dtype)

    return in_torch(prepare)


class Products(TorchDispatchMode):
    """Notes the operands of all matrix products, those inside our operators too."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operands: list[tuple[Tensor, Tensor]] = []

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Any = (), options: Any = None
    ) -> Any:
        if operator.namespace == "panda_gnn":
            with self:
                return operator(*args, **(options or {}))
        if operator.overloadpacket in PRODUCTS:
            self.operands.append(args[-2:])
        return operator(*args, **(options or {}))


def products_of(model: nn.Module, call: Call, batches: list[Data]) -> Call:
    """The matrix products of a forward pass on each of the batches, and nothing else."""
    work: dict[int, list[tuple[Tensor, Tensor, Tensor]]] = {}
    for data in batches:
        with Products() as products:
            forward(model, call)(data)
        work[id(data)] = [
            (left, right, left.new_empty(left.size(0), right.size(1)))
            for left, right in products.operands
        ]

    def run(data: Data) -> None:
        with torch.no_grad():
            for left, right, out in work[id(data)]:
                torch.mm(left, right, out=out)

    return run


def medians(calls: dict[str, Call], batches: list[Data], seconds: float) -> dict[str, float]:
    """Median milliseconds of each, all taking turns on one batch after the other."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    turns = cycle(batches)
    for call in calls.values():
        call(next(turns))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < 3:
        data = next(turns)
        for name, call in calls.items():
            begin = time.process_time()
            call(data)
            times[name].append(time.process_time() - begin)
    return {name: 1000 * statistics.median(values) for name, values in times.items()}


def differences(literal: Literal, batch: Data, dtype: torch.dtype) -> Tensor:
    """How far the states of the literal version are from ours, compiled, number by number.

    Every number is taken relative to the largest of its layer. The literal version ranks
    logits here, as ours does: the paper's scores are rounded to 1 where logits are large.
    """
    ranking = copy.deepcopy(literal).to(dtype).eval()
    ranking.ranks_logits = True
    batch = copy.copy(batch)
    batch.x = batch.x.to(dtype)
    with torch.no_grad():
        ours = ranking.model.states(batch.x, WidthPartition(batch.edge_index, batch.high))
        pairs = zip(ours, ranking.states(batch), strict=True)
        return torch.cat(
            [
                ((one - other).abs() / other.abs().max()).view(-1)
                for states in pairs
                for one, other in zip(*states, strict=True)
            ]
        )


def named_kernels() -> None:
    """Let torch's profiler see every kernel by its name."""
    of_type = Kernel.__getitem__

    def named(kernel: Kernel, dtype: torch.dtype) -> Callable[..., Any]:
        function = of_type(kernel, dtype)

        def call(*arguments: Any) -> Any:
            with record_function(kernel.body.__name__):
                return function(*arguments)

        return call

    Kernel.__getitem__ = named  # type: ignore[assignment,method-assign]


def where_time_goes(run: Call, batches: list[Data], seconds: float) -> dict[str, float]:
    """Milliseconds of each part of a training step; what is left is Python and autograd."""
    for data in batches:
        run(data)
    turns, steps = cycle(batches), 0
    begin, end = time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < end:
        run(next(turns))
        steps += 1
    whole = (time.process_time() - begin) / steps
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(PROFILED):
            run(next(turns))
    found = dict.fromkeys(PARTS, 0.0)
    for event in profiler.key_averages():
        for part, starts in PARTS.items():
            if event.key.startswith(starts):
                found[part] += event.self_cpu_time_total / 1e3 / PROFILED
                break
    found["Python and autograd's bookkeeping"] = 1000 * whole - sum(found.values())
    return found | {"whole step": 1000 * whole}


def profiled(name: str, backbone: str, options: argparse.Namespace) -> Table:
    """Where the time of a training step goes."""
    batches, models = prepare(name, backbone, options)
    ours = {key: models[key] for key in (list(models)[1], list(models)[4])}
    found = [where_time_goes(step(*model), batches, options.seconds / 4) for model in ours.values()]
    table = Table(title=f"{name}, {backbone.upper()}: milliseconds of a training step")
    for column in ("", *ours):
        table.add_column(column, justify="right" if column else "left")
    for part in found[0]:
        cells = (f"{t[part]:.2f} ({t[part] / t['whole step']:.0%})" for t in found)
        table.add_row(part, *cells)
    return table


def fix_malloc() -> None:
    """Keep freed memory, so that no model pays for page faults another one was spared."""
    if sys.platform.startswith("linux"):
        mallopt = ctypes.CDLL(None).mallopt
        trim_threshold, mmap_threshold, mmap_max = -1, -3, -4
        mallopt(mmap_threshold, 1 << 30)
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, (1 << 31) - 1)


def prepare(
    name: str, backbone: str, options: argparse.Namespace
) -> tuple[list[Data], dict[str, tuple[nn.Module, Call]]]:
    """Some batches of a dataset with their high nodes, and all models."""
    torch.manual_seed(0)
    dataset = load(name, mirror=options.mirror)
    best = best_settings(backbone, name)
    assert best is not None
    expand = ExpandWidth(best.centrality, best.k)
    loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    batches = [expand(batch) for batch, _ in zip(loader, range(BATCHES), strict=False)]
    sizes = dataset.num_features, dataset.num_classes
    common = {"backbone": backbone, "dropout": options.dropout}
    pyg, gnn = PyG(*sizes, **common), GNN(*sizes, **common)
    panda = PandaGNN(*sizes, high_width=best.high_width, **common)
    literal, ours_in_torch = Literal(copy.deepcopy(panda)), copy.deepcopy(panda)
    title = backbone.upper()
    models: dict[str, tuple[nn.Module, Call]] = {
        f"PyG's {title}": (pyg, pyg),
        f"our {title}": (gnn, plainly(gnn)),
        f"literal PANDA-{title}": (literal, literal),
        f"our PANDA-{title} in torch": (ours_in_torch, in_torch(widely(ours_in_torch))),
        f"our PANDA-{title} compiled": (panda, widely(panda)),
    }
    return batches, models


def bench(name: str, backbone: str, options: argparse.Namespace) -> Table:
    """The table of one dataset and one backbone."""
    batches, models = prepare(name, backbone, options)
    best = best_settings(backbone, name)
    literal = models[list(models)[2]][0]
    assert best is not None
    assert isinstance(literal, Literal)
    gcn, title = backbone == "gcn", backbone.upper()
    names = list(models)
    share = options.seconds / 3
    alone = {key: products_of(*models[key], batches) for key in (names[1], names[4])}
    forwards = medians(
        {key: forward(*models[key]) for key in names}
        | {f"its products: {key}": call for key, call in alone.items()},
        batches,
        share,
    )
    products = {key: forwards[f"its products: {key}"] for key in alone}
    preparing = {
        names[1]: edges_of(True if gcn else None),
        names[3]: partition_in_torch(gcn),
        names[4]: partition_of(gcn),
    }
    prepared = medians(preparing, batches, share / 10)
    exact = float(differences(literal, batches[0], torch.float64).max())
    near_ties = float((differences(literal, batches[0], torch.float32) > 1e-4).double().mean())
    steps = medians({key: step(*models[key]) for key in names}, batches, 2 * share)
    nodes, edges, high = (
        statistics.mean(int(value) for value in values)
        for values in zip(*((b.num_nodes, b.num_edges, b.high.sum()) for b in batches), strict=True)
    )
    table = Table(
        title=f"{name}, {title}: k={best.k} by {best.centrality}, widths 64 and {best.high_width}; "
        f"{nodes:.0f} nodes ({high:.0f} high), {edges:.0f} edges in a batch",
        caption=f"states, compiled against literal: within {exact:.0e} in float64; in float32 "
        f"{near_ties:.2%} are off by more than 1e-4, near ties being ranked otherwise",
    )
    columns = ("forward ms", "/ PyG", "/ ours", "by that", "step ms", "/ PyG", "/ ours", "by that",
               "of which edges ms")  # fmt: skip
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for key in names:
        cells = [
            cell
            for found, passes in ((forwards, 1), (steps, 3))
            for cell in (
                f"{found[key]:.2f}",
                f"{found[key] / found[names[0]]:.2f}",
                f"{found[key] / found[names[1]]:.2f}",
                f"{found[key] / passes / products[key]:.2f}" if key in products else "-",
            )
        ]
        table.add_row(key, *cells, f"{prepared[key]:.3f}" if key in prepared else "-")
    for key, milliseconds in products.items():
        table.add_row(f"the matrix products of {key} alone", f"{milliseconds:.2f}", *["-"] * 8)
    return table


def main() -> None:
    """Print one table for each dataset and backbone."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=AFFORDABLE, help=f"{AFFORDABLE}, or all")
    parser.add_argument("--backbones", default="gcn,gin")
    parser.add_argument("--seconds", type=float, default=12.0, help="for each table")
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--mirror")
    parser.add_argument("--profile", action="store_true", help="where the time of a step goes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    fix_malloc()
    if options.profile:
        named_kernels()
    make = profiled if options.profile else bench
    datasets = ALL if options.datasets == "all" else options.datasets
    for name in datasets.split(","):
        for backbone in options.backbones.split(","):
            Console(width=max(Console().width, 130)).print(make(name, backbone, options))


if __name__ == "__main__":
    main()

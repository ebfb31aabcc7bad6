"""A diagnosis in sentences and tables, the same for the terminal and for the page."""

from __future__ import annotations

from torch import Tensor

from panda_gnn.diagnostics.bottlenecks import bottleneck_edges, bottleneck_nodes
from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.drawing.scale import number
from panda_gnn.reports.grids import Grid
from panda_gnn.reports.models import printed_name

TOP = 5


def model_in_words(diagnosis: Diagnosis) -> str:
    """Which model was measured."""
    model = diagnosis.model
    text = (
        f"{printed_name(model.name)}, untrained (random weights, seed {model.seed}), "
        f"{model.num_layers} hidden layers of width {model.width}"
    )
    if model.width_aware:
        text += f", {model.high_width} at the {counted(diagnosis.num_high, 'high node')}"
    return text


def counted(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentences(diagnosis: Diagnosis) -> list[str]:
    """What to know about the graph, the most important first."""
    summary = diagnosis.summary
    said = []
    if summary.num_components > 1:
        lone = counted(summary.isolated_nodes, "lone node")
        among = f", among them {lone}" if summary.isolated_nodes else ""
        said.append(
            f"The graph falls into {summary.num_components} components{among}: "
            "no messages pass between them."
        )
    if summary.bridges:
        said.append(
            f"Bridges: {summary.bridges} of {counted(summary.num_edges, 'edge')}. All messages "
            "between the two sides of a bridge share that one edge."
        )
    if summary.num_edges and summary.lowest_curvature < -1e-9:
        (u,), (v,) = bottleneck_edges(diagnosis.data, "curvature", 1).items.tolist()
        said.append(
            f"The most negatively curved edge is {diagnosis.names[u]} – {diagnosis.names[v]} "
            f"({number(summary.lowest_curvature)}); {summary.negative_edges:.0%} of the edges "
            "have negative curvature."
        )
    if diagnosis.out_of_reach > 0:
        said.append(
            f"{diagnosis.out_of_reach:.0%} of the connected pairs are more than "
            f"{diagnosis.model.num_layers + 1} hops apart, out of reach of a model this deep, "
            "whatever its width."
        )
    far = len(diagnosis.pairs) - 1
    reach = min(far, diagnosis.model.num_layers)
    if reach > 1:
        last = diagnosis.by_distance[-1]
        near, distant = float(last[1]), float(last[reach])
        if distant > 0:
            said.append(
                f"After the last hidden layer a node feels its neighbours {number(near / distant)} "
                f"times as much as a node {reach} hops away."
            )
    if summary.num_edges:
        said.append(
            f"What a node knows after the last hidden layer comes from {diagnosis.range_hops:.2f} "
            "hops away on average (the range of the model); if all nodes counted alike it would "
            f"be {diagnosis.range_needed:.2f}."
        )
    decay = diagnosis.decay
    if decay is not None:
        shallow, deep = decay.depths
        said.append(
            f"From depth {shallow} to {deep}, {decay.prevalence:.0%} of the pairs gain share in "
            f"each other's walks (prevalence), by {number(decay.intensity)} a layer on the "
            "logarithmic scale: these are the pairs that fewer layers keep apart."
        )
    if summary.num_edges == 0:
        said.append("The graph has no edges: no model can pass a message.")
    if not said:
        said.append("Nothing stands in the way of messages here.")
    return said


def graph_numbers(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    """The graph as a whole."""
    summary = diagnosis.summary
    total = number(summary.total_resistance)
    if summary.total_resistance_error:
        total += f" ± {number(summary.total_resistance_error)}"
    return [
        ("nodes", str(summary.num_nodes)),
        ("edges", str(summary.num_edges)),
        ("components", str(summary.num_components)),
        ("diameter", "not computed" if summary.diameter is None else str(summary.diameter)),
        ("bridges", str(summary.bridges)),
        ("spectral gap", number(summary.spectral_gap)),
        ("total resistance", total),
        ("lowest curvature", number(summary.lowest_curvature)),
        ("mean curvature", number(summary.mean_curvature)),
        ("lowest resistance curvature", number(_lowest(diagnosis.link_curvature))),
        ("range in hops", number(diagnosis.range_hops)),
        ("range in ohm", number(diagnosis.range_ohm)),
        *(
            (name, "not defined" if diagnosis.decay is None else number(value))
            for name, value in zip(
                ("prevalence", "intensity", "variability", "extremity"),
                (0.0,) * 4 if diagnosis.decay is None else diagnosis.decay[:4],
                strict=True,
            )
        ),
    ]


def _lowest(values: Tensor) -> float:
    return float(values.min()) if values.numel() else float("nan")


def grids(diagnosis: Diagnosis) -> list[Grid]:
    """The tables, in the order of the page."""
    return [
        _nodes(diagnosis),
        _edges(diagnosis),
        _layers(diagnosis),
        _distances(diagnosis),
        _remedies(diagnosis),
    ]


def _nodes(diagnosis: Diagnosis) -> Grid:
    name = diagnosis.model.centrality
    ranked = bottleneck_nodes(diagnosis.data, name, TOP) if name != "random" else None
    nodes = [] if ranked is None else ranked.items.tolist()
    high = diagnosis.data.high
    wide = diagnosis.model.high_width if diagnosis.model.width_aware else diagnosis.model.width
    degree = diagnosis.edges.flatten().bincount(minlength=diagnosis.summary.num_nodes)
    return Grid(
        "Nodes in the way",
        f"The highest by {name}; felt: how much the other nodes feel its input, on average.",
        ("node", name, "degree", "felt", "width"),
        [
            (
                diagnosis.names[node],
                number(float(diagnosis.scores[node])),
                str(int(degree[node])),
                number(float(diagnosis.felt[node])),
                str(wide if high[node] else diagnosis.model.width),
            )
            for node in nodes
        ],
    )


def _edges(diagnosis: Diagnosis) -> Grid:
    order = diagnosis.curvature.argsort(stable=True)[:TOP].tolist()
    return Grid(
        "Edges in the way",
        "The most negatively curved; a resistance of 1 is a bridge.",
        ("edge", "curvature", "resistance", "resistance curvature"),
        [
            (
                " – ".join(diagnosis.names[node] for node in diagnosis.edges[:, edge].tolist()),
                number(float(diagnosis.curvature[edge])),
                number(float(diagnosis.resistance[edge])),
                number(float(diagnosis.link_curvature[edge])),
            )
            for edge in order
        ],
    )


def _layers(diagnosis: Diagnosis) -> Grid:
    mean, error = diagnosis.measured.mean().tolist(), diagnosis.measured.standard_error().tolist()
    bound = None if diagnosis.bound is None else diagnosis.bound.tolist()
    columns = ("layer", "mean over pairs") + (("bound",) if bound else ())
    rows = []
    for layer in range(diagnosis.model.num_layers):
        value = number(mean[layer])
        if error[layer]:
            value += f" ± {number(error[layer])}"
        row = (str(layer + 1), value)
        rows.append(row if bound is None else (*row, number(bound[layer])))
    about = f"The {diagnosis.norm} 1-norm of dh_v/dh_u."
    if bound:
        about += " The bound is (z w p)^l (S^l)_vu of the paper."
    return Grid("Sensitivity by layer", about, columns, rows)


def _distances(diagnosis: Diagnosis) -> Grid:
    shown = min(len(diagnosis.pairs), diagnosis.model.num_layers + 3)
    return Grid(
        "Sensitivity by distance",
        "The mean over pairs of nodes so many hops apart, after each hidden layer.",
        ("hops", "pairs", *(f"layer {layer + 1}" for layer in range(diagnosis.model.num_layers))),
        [
            (
                str(hops),
                str(diagnosis.pairs[hops]),
                *(number(float(value)) for value in diagnosis.by_distance[:, hops]),
            )
            for hops in range(shown)
        ],
    )


def _remedies(diagnosis: Diagnosis) -> Grid:
    return Grid(
        "What would change",
        "Sensitivity after the last hidden layer of untrained models, over all pairs and over "
        f"those at least {counted(diagnosis.far_hops, 'hop')} apart before the change. More is not "
        "the same as better. The total resistance is left out where components were joined.",
        ("change", "edges", "total resistance", "spectral gap", "all pairs", "far pairs"),
        [
            (
                remedy.name,
                str(remedy.num_edges),
                number(remedy.total_resistance),
                number(remedy.spectral_gap),
                number(remedy.near),
                number(remedy.far),
            )
            for remedy in diagnosis.remedies
        ],
    )

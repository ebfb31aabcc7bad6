"""Where to draw the nodes of a graph."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics import hop_distances
from panda_gnn.graph.components import components

Floats = npt.NDArray[np.float64]

ROUNDS = 200
WORK = 4 * 10**7
"""Pairs of nodes, counted once a round, after which a large graph is laid out well enough."""
GAP = 1.5
"""Space between components, in lengths of an edge."""


def layout(data: Data) -> Tensor:
    r"""Positions ``[num_nodes, 2]`` whose distances are as near to hop distances as can be.

    Every component is laid out by itself: starting from classical scaling, majorisation lowers the
    stress :math:`\sum_{u<v} d_{uv}^{-2} (\lVert x_u - x_v \rVert - d_{uv})^2` (Gansner, Koren and
    North, "Graph Drawing by Stress Majorization", 2004). Components stand in rows, the largest
    first. An edge is about one long. The same graph gets the same drawing.
    """
    num_nodes = int(data.num_nodes or 0)
    component = components(data.edge_index, num_nodes)
    position = torch.zeros(num_nodes, 2, dtype=torch.float64)
    boxes: list[tuple[Tensor, Floats]] = []
    for label in range(int(component.max()) + 1 if num_nodes else 0):
        nodes = (component == label).nonzero().view(-1)
        hops = hop_distances(data, nodes)[:, nodes].numpy()
        placed = _turned(_majorised(hops))
        boxes.append((nodes, placed - placed.min(0)))
    boxes.sort(key=lambda box: -box[0].numel())
    area = sum(float(np.prod(placed.max(0) + GAP)) for _, placed in boxes)
    widest = max([float(placed[:, 0].max()) for _, placed in boxes] + [1.5 * math.sqrt(area)])
    x = y = row = 0.0
    for nodes, placed in boxes:
        width, height = placed.max(0)
        if x > 0 and x + width > widest:
            x, y, row = 0.0, y + row + GAP, 0.0
        position[nodes] = torch.from_numpy(placed + np.array([x, y]))
        x, row = x + width + GAP, max(row, height)
    return position


def _majorised(hops: Floats) -> Floats:
    """Positions of low stress for a connected graph with these distances."""
    count = len(hops)
    if count == 1:
        return np.zeros((1, 2))
    squares: Floats = hops**2
    gram = -0.5 * (squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(gram)
    place: Floats = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    place += 0.05 * np.random.default_rng(0).standard_normal(place.shape)
    weight = np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.inv(laplacian + 1 / count) - 1 / count
    for _ in range(min(ROUNDS, max(20, WORK // count**2))):
        apart = np.linalg.norm(place[:, None] - place[None], axis=2)
        pull = np.divide(weight * hops, apart, out=np.zeros_like(apart), where=apart > 1e-9)
        before = place
        place = inverse @ (pull.sum(1)[:, None] * place - pull @ place)
        if np.abs(place - before).max() < 1e-3:
            break
    return place


def _turned(place: Floats) -> Floats:
    """The same positions with the longest extent from left to right."""
    centred = place - place.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: Floats = centred @ axes.T if len(place) > 1 else centred
    return turned

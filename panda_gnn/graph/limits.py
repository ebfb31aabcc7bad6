"""How large a graph may be for what, all in one place."""

from __future__ import annotations

from panda_gnn.errors import InputError

#: The sensitivity of larger graphs is measured at random sources unless told otherwise.
EXACT_SENSITIVITY_NODES = 512
#: The spectral gap of larger graphs is found iteratively.
DENSE_SPECTRUM_NODES = 1000
#: Larger graphs have their resistances estimated and their diameter left out of a summary.
EXACT_SUMMARY_NODES = 3000
#: Resistance centralities factorise a dense matrix over the core of a graph (1.2 GB).
CORE_NODES = 12_000
#: Exact resistances need a dense matrix over the nodes of a component (3.2 GB).
DENSE_RESISTANCE_NODES = 20_000
#: DIGL inverts a dense matrix over the nodes (0.5 GB), and approximates it for larger graphs.
DENSE_DIFFUSION_NODES = 8000
#: GTR keeps dense matrices over the classes of twins (0.5 GB each), and sketches larger graphs.
DENSE_GTR_CLASSES = 8000
#: ProxyAdd, ProxyDelete and JDR take eigenvectors of dense matrices (0.2 GB each), GOKU up to here.
DENSE_PROXY_NODES = 5000
#: The decay of sensitivity multiplies dense matrices over a component (0.2 GB each).
DENSE_DECAY_NODES = 5000
#: The Hessian of a model takes one backward pass for every input feature of every node.
HESSIAN_INPUTS = 4096
#: FA makes an edge of every ordered pair of nodes (0.4 GB).
FULLY_ADJACENT_NODES = 5000


def refuse_above(limit: int, num_nodes: int, what: str, instead: str) -> None:
    """Refuse to do ``what`` with more than ``limit`` nodes, and say what to use ``instead``."""
    if num_nodes > limit:
        raise InputError(
            f"{what} needs a dense matrix over {num_nodes} nodes, and at most {limit} are "
            f"accepted: use {instead} instead"
        )

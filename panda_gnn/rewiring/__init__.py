"""Rewirings: transforms that change the edges of a graph before a network sees it."""

from panda_gnn.registry import Registry
from panda_gnn.rewiring.afrc import AFRC
from panda_gnn.rewiring.base import Rewiring
from panda_gnn.rewiring.borf import BORF
from panda_gnn.rewiring.cayley import Cayley
from panda_gnn.rewiring.central_edges import CentralEdges
from panda_gnn.rewiring.dataset import rewire_dataset
from panda_gnn.rewiring.digl import DIGL
from panda_gnn.rewiring.expander import Expander
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.rewiring.fully_adjacent import FullyAdjacent
from panda_gnn.rewiring.goku import GOKU
from panda_gnn.rewiring.gtr import GTR
from panda_gnn.rewiring.half_hop import HalfHop
from panda_gnn.rewiring.heat_kernel import HeatKernel
from panda_gnn.rewiring.jdr import JDR
from panda_gnn.rewiring.laser import LASER
from panda_gnn.rewiring.proxy import ProxyAdd, ProxyDelete
from panda_gnn.rewiring.sdrf import SDRF
from panda_gnn.rewiring.virtual_node import VirtualNode

__all__ = [
    "AFRC",
    "BORF",
    "DIGL",
    "GOKU",
    "GTR",
    "JDR",
    "LASER",
    "REWIRINGS",
    "SDRF",
    "Cayley",
    "CentralEdges",
    "Expander",
    "FoSR",
    "FullyAdjacent",
    "HalfHop",
    "HeatKernel",
    "ProxyAdd",
    "ProxyDelete",
    "Rewiring",
    "VirtualNode",
    "rewire_dataset",
]

REWIRINGS: Registry[type[Rewiring]] = Registry(
    "rewiring",
    {
        "digl": DIGL,
        "fa": FullyAdjacent,
        "sdrf": SDRF,
        "fosr": FoSR,
        "borf": BORF,
        "gtr": GTR,
        "afrc": AFRC,
        "expander": Expander,
        "laser": LASER,
        "virtual-node": VirtualNode,
        "cayley": Cayley,
        "proxy-add": ProxyAdd,
        "proxy-delete": ProxyDelete,
        "goku": GOKU,
        "jdr": JDR,
        "heat": HeatKernel,
        "half-hop": HalfHop,
        "central-edges": CentralEdges,
    },
)
"""Every rewiring by its name in commands and studies, those of the paper first."""

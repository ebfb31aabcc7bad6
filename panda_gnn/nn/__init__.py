"""Width-aware layers and models."""

from panda_gnn.nn.adgn import ADGNLayer
from panda_gnn.nn.binned_embedding import BinnedEmbedding
from panda_gnn.nn.cooperative import CoGNN
from panda_gnn.nn.ct_layer import CommuteTimeGNN, CTLayer
from panda_gnn.nn.drew import DRewGNN
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.gcn import GCNLayer, PandaGCNConv
from panda_gnn.nn.gin import GINLayer, PandaGINConv
from panda_gnn.nn.gine import GINELayer, PandaGINEConv
from panda_gnn.nn.models import GNN, PandaGNN
from panda_gnn.nn.panda_conv import PandaConv, PlainConv
from panda_gnn.nn.partition import WidthPartition
from panda_gnn.nn.rgcn import PandaRGCNConv, RGCNLayer
from panda_gnn.nn.rgin import PandaRGINConv, RGINLayer
from panda_gnn.nn.role_conv import RoleConv, RoleGain, RoleLowRank
from panda_gnn.nn.role_gnn import RoleGNN
from panda_gnn.nn.role_pairs import RolePairsGCN
from panda_gnn.nn.role_widths import RolePartition, RoleWidthConv
from panda_gnn.nn.to_panda import to_panda

__all__ = [
    "GNN",
    "ADGNLayer",
    "BinnedEmbedding",
    "CTLayer",
    "CoGNN",
    "CommuteTimeGNN",
    "DRewGNN",
    "Edges",
    "GCNLayer",
    "GINELayer",
    "GINLayer",
    "PandaConv",
    "PandaGCNConv",
    "PandaGINConv",
    "PandaGINEConv",
    "PandaGNN",
    "PandaRGCNConv",
    "PandaRGINConv",
    "PlainConv",
    "RGCNLayer",
    "RGINLayer",
    "RoleConv",
    "RoleGNN",
    "RoleGain",
    "RoleLowRank",
    "RolePairsGCN",
    "RolePartition",
    "RoleWidthConv",
    "WidthPartition",
    "to_panda",
]

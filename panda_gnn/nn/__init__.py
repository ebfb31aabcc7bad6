"""Width-aware layers and models."""

from panda_gnn.nn.ct_gnn import CommuteTimeGNN
from panda_gnn.nn.ct_layer import CTLayer
from panda_gnn.nn.gcn import GCNLayer, PandaGCNConv
from panda_gnn.nn.gin import GINLayer, PandaGINConv
from panda_gnn.nn.models import GNN, PandaGNN
from panda_gnn.nn.panda_conv import PandaConv, PlainConv
from panda_gnn.nn.partition import Edges, WidthPartition
from panda_gnn.nn.rgcn import PandaRGCNConv, RGCNLayer
from panda_gnn.nn.rgin import PandaRGINConv, RGINLayer

__all__ = [
    "GNN",
    "CTLayer",
    "CommuteTimeGNN",
    "Edges",
    "GCNLayer",
    "GINLayer",
    "PandaConv",
    "PandaGCNConv",
    "PandaGINConv",
    "PandaGNN",
    "PandaRGCNConv",
    "PandaRGINConv",
    "PlainConv",
    "RGCNLayer",
    "RGINLayer",
    "WidthPartition",
]

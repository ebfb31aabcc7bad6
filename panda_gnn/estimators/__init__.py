"""Models with scikit-learn's conventions, to train on graphs of one's own and to use afterwards.

With a list of PyG ``Data`` and an array of labels::

    from sklearn.model_selection import cross_val_score
    from panda_gnn.estimators import PandaClassifier

    cross_val_score(PandaClassifier(), graphs, labels)
    model = PandaClassifier(k=5, random_state=0).fit(graphs, labels)
    model.predict(new_graphs), model.predict_proba(new_graphs)
    model.save("model")                                # safetensors and JSON, no pickle
    PandaClassifier.load("model").predict(new_graphs)  # the same bits in another process
"""

from panda_gnn.estimators.estimator import PandaEstimator
from panda_gnn.estimators.files import load_estimator
from panda_gnn.estimators.graphs import PandaClassifier, PandaRegressor
from panda_gnn.estimators.nodes import PandaNodeClassifier, PandaNodeRegressor

__all__ = [
    "PandaClassifier",
    "PandaEstimator",
    "PandaNodeClassifier",
    "PandaNodeRegressor",
    "PandaRegressor",
    "load_estimator",
]

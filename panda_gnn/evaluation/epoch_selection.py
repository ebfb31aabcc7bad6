"""Which epoch's test score is reported.

Training looks at the training rows and at the validation score, and at nothing else: the test
scores of all epochs are recorded beside it and read only when a score is reported. Which epoch's
test score that is, is the *selection*:

* ``best-val`` (the default): the first epoch of the best validation score;
* ``last``: the last epoch, as FoSR's public code reports;
* ``best-val-test-ties``: of the epochs that tie the best validation score so far, the one with the
  better *test* score, as the PANDA authors' code reports. It looks at the test set: use it only to
  compare with published numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from panda_gnn.errors import choose

SELECTIONS = ("best-val", "last", "best-val-test-ties")


def selected_epoch(selection: str, validation: Sequence[float], test: Sequence[float]) -> int:
    """The epoch whose scores count, from 0; of scores, greater is better."""
    choose("selection", selection, SELECTIONS)
    epochs = range(len(validation))
    if selection == "last":
        return epochs[-1]
    if selection == "best-val":
        return max(epochs, key=lambda epoch: (validation[epoch], -epoch))
    return max(epochs, key=lambda epoch: (validation[epoch], test[epoch], -epoch))

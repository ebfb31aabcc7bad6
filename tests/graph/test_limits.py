"""Too large is told with a way out."""

from __future__ import annotations

import pytest

from panda_gnn.errors import InputError
from panda_gnn.graph.limits import refuse_above


def test_only_what_is_above_the_limit_is_refused() -> None:
    refuse_above(5, 5, "this", "that")
    with pytest.raises(InputError, match=r"this needs a dense matrix over 6 nodes, .* use that"):
        refuse_above(5, 6, "this", "that")

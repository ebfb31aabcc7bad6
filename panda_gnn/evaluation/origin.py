"""Where a row comes from: the code that made it, part by part, the data, and the processor.

Rows of different code or different data are never compared. The processor is written down beside
them, because the last bits of a score depend on its vector instructions.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

#: Vector sets, the widest first.
VECTOR_SETS = ("avx512f", "avx2", "avx", "sve2", "sve", "asimd", "neon", "sse4_2", "sse2")


class Origin(NamedTuple):
    """What must be equal for two rows of one config and seed to be the same result.

    Attributes:
        code: The version of the trial or of the measurement.
        parts: The versions of the task and the method, as sorted pairs.
        data: The fingerprint of the dataset; ``None`` where the graphs are made by the measurement.
    """

    code: str
    parts: tuple[tuple[str, str], ...] = ()
    data: str | None = None


def origin_of(row: Mapping[str, Any]) -> Origin:
    """The origin that a row names."""
    return Origin(row["code"], tuple(sorted(row.get("parts", {}).items())), row.get("data"))


@cache
def processor() -> str:
    """Vendor, model and widest vector set of the processor, such as ``GenuineIntel ... avx2``."""
    try:
        listed = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        listed = ""
    fields: dict[str, str] = dict(re.findall(r"^([\w ]+?)\s*:\s*(.*)$", listed, re.MULTILINE))
    flags = fields.get("flags", fields.get("Features", "")).split()
    widest = next((name for name in VECTOR_SETS if name in flags), "")
    named = [fields.get("vendor_id", ""), fields.get("model name", ""), widest]
    words = " ".join(named).split() or platform.processor().split() or platform.machine().split()
    return " ".join(words)

"""Puts the measured rows into the wheel, compressed: ``panda table main`` shows them anywhere.

Hatchling calls it when a wheel is built; see :mod:`panda_gnn.evaluation.bundled` for the reader.
"""

from __future__ import annotations

import lzma
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RowsHook(BuildHookInterface):
    """Compresses every file of ``results`` and adds it to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; an editable installation reads those of the checkout."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        for path in sorted((Path(self.root) / "results").glob("*.jsonl")):
            packed = Path(self._folder.name) / f"{path.name}.xz"
            packed.write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
            build_data["force_include"][str(packed)] = f"panda_gnn/results/{packed.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was only there to be added."""
        if version != "editable":
            self._folder.cleanup()

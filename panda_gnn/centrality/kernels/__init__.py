"""Compiled kernels on :class:`panda_gnn.csr.BlockCSR` arrays, one file per step.

Importing one of the modules compiles it, or loads what an earlier import compiled; use
:func:`panda_gnn.centrality.compiled.kernel`, which does it where it is needed and says how long it
took. A module calls no compiled function of another one, because numba looks for changes in the
calling file only.
"""

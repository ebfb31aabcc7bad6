"""Undirected graphs in rows, and what centralities, rewirings and diagnostics share about them."""

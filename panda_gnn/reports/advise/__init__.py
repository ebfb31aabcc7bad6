"""Advice about a dataset: its text, the page and the terminal."""

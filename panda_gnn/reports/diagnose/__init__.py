"""The report on one graph: its numbers, their text, the page and the terminal."""

"""Pages that need nothing but themselves: their frame, style and scripts."""

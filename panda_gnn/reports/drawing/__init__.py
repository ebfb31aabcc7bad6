"""Drawing: how figures look, panels of lines, and graphs in pictures and pages."""

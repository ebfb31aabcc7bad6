"""What figures show: each module measures one thing, as a pure function of (config, seed)."""

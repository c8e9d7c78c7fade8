"""An agent of `create_agent` that decides by itself what to remember."""

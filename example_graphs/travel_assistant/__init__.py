"""A travel assistant that remembers: `python -m example_graphs.travel_assistant`.

`graph.py` is the part to copy: the nodes, the tools and the assistant, compiled in a few lines.
"""

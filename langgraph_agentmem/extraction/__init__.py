"""From what a user said to memories: what counts as evidence, and how topics are spelt."""

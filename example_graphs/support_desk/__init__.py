"""A support desk that knows its customers, and keeps them apart."""

"""Graphs that run offline, one folder for each story."""

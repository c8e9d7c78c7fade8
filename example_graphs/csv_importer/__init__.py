"""An importer that fails on dates, remembers why, and does better next week."""

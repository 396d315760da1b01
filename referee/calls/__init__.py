"""Calls: the structured form of what a player announces, and the grammar that reads it from Russian or English."""

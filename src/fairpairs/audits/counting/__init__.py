"""Rows of any size: read and counted by DuckDB, also shard by shard."""

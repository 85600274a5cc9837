"""The commands of the audits: each reads its options and calls one function."""

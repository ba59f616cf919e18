"""The `kleis` command."""

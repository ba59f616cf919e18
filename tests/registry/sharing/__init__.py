"""Registries that share tools: identities, publications, what is taken in."""

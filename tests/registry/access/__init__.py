"""`registry.access`: tokens on disk, the verifier, scopes."""

"""Theory, imports, loader, parse cache and name resolution."""

"""What Jupyter starts: `python -m registry.notebook -f CONNECTION_FILE`."""

from __future__ import annotations

from registry.notebook.kernel import main

__all__: list[str] = []

if __name__ == "__main__":
    main()

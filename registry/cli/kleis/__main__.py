"""`python -m registry.cli.kleis`."""

from __future__ import annotations

import sys

from registry.cli.kleis import main

sys.exit(main())

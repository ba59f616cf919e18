"""`python -m registry.cli.pif`."""

from __future__ import annotations

import sys

from registry.cli.pif import main

sys.exit(main())

"""`python -m tests.conformance.gateway`: others' servers and the suite through the gateway, and their section of the page."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.conformance import installation
from tests.conformance.gateway import report


def main() -> int:
    """Status 1 if anything differs, 2 if something cannot be had."""
    try:
        installation.node_packages()
        report.install()
    except installation.NotInstalled as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with tempfile.TemporaryDirectory() as given:
        results = report.run(Path(given))
    report.write(results)
    wrong = report.wrong(results)
    print("\n".join(wrong) or "all is the same through the gateway")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

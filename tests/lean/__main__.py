"""`make lean`: exports everything, lets a Lean read it, writes docs/lean-check.md.  Status 1 where Lean reports an error."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from kleis.lean import LeanFile
from tests.lean import installation, reading, report, texts


def main(wanted: list[str]) -> int:
    """Read all, or those whose names have one of these words in them; what was read is written down.

    A text that this Lean has read without an error is not read again.
    """
    try:
        lean = installation.lean_here()
    except installation.NotInstalled as error:
        sys.stderr.write(f"make lean: {error}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        results = _read(lean, dict(texts.sources(Path(folder))), wanted)
    wrong = [f"{each.name}:{one.line}: {one.message}" for each in results for one in each.errors]
    for each in wrong:
        sys.stderr.write(f"{each}\n")
    return 1 if wrong else 0


def _read(lean: installation.Lean, sources: Mapping[str, Path], wanted: list[str]) -> list[reading.Result]:
    """Read what is wanted and not read yet; the record and the page have each batch at once."""
    files: dict[str, LeanFile] = {}
    stated: dict[str, str] = {}
    for name, path in sources.items():
        if wanted and not any(word in name for word in wanted):
            continue
        print(f"export {name}", flush=True)
        file = texts.exported(path)
        text = texts.stated(path)
        if file is not None and text is not None and not report.is_read(name, file, lean):
            files[name], stated[name] = file, text
    day = datetime.now(UTC).strftime("%-d %B %Y")
    results: list[reading.Result] = []
    for found in reading.read(lean, [(name, each.text) for name, each in files.items()]):
        results += found
        report.add(day, lean, files, stated, found)
        report.write_page(sources)
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`make lean`: exports everything, lets a Lean read it, writes docs/lean-check.md.  Status 1 where Lean reports an error."""

from __future__ import annotations

import sys
import tempfile
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
    files: dict[str, LeanFile] = {}
    stated: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        sources = dict(texts.sources(Path(folder)))
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
    wrong = [f"{each.name}:{one.line}: {one.message}" for each in results for one in each.errors]
    for each in wrong:
        sys.stderr.write(f"{each}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

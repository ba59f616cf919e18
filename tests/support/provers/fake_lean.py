"""A program called lean that behaves as a test asks: a Python script in a folder that is put on the PATH."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

__all__ = ["VERSION", "answering", "install"]

VERSION = "Lean (version 4.28.0, fake)"

_FRAME = f"""#!{sys.executable}
import json, os, re, signal, sys
if "--version" in sys.argv:
    print({VERSION!r})
    sys.exit(0)
text = open(sys.argv[-1], encoding="utf-8").read()

def say(severity, line, data):
    print(json.dumps({{"severity": severity, "pos": {{"line": line, "column": 0}}, "data": data}}), flush=True)

def axioms(names):
    for number, each in enumerate(text.split("\\n"), 1):
        asked = re.match(r"#print axioms (\\S+)", each)
        if asked:
            rest = "depends on axioms: [" + ", ".join(names) + "]" if names else "does not depend on any axioms"
            say("information", number, f"'{{asked[1]}}' {{rest}}")

"""


def install(folder: Path, script: str) -> None:
    """Write the program; `script` may use ``text``, ``say(severity, line, data)`` and ``axioms(names)``."""
    program = folder / "lean"
    program.write_text(_FRAME + script + "\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def answering(*axioms: str) -> str:
    """The script of a Lean that is content, and names these axioms of every theorem."""
    return f"axioms({list(axioms)!r})"

"""What `kleis check` finds besides syntax and names: sorts, definedness, termination, false implementations.

It takes seconds for a large file, and is out of date with the next key: so it runs in a child of the prover's worker, which
is killed then.  The answer is what `kleis check` prints of the file, without the look for axioms that clash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from kleis.prover.process.broker import Guards
from kleis.prover.protocol.engine import Answer
from kleis.syntax.parser.parser import parse_source
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader, Loading, Source
from registry.cli.kleis.files.check import check_loading

__all__ = ["GUARDS", "JOB", "PRELOAD", "TextVersion", "elaborate"]

JOB = f"{__name__}:elaborate"
PRELOAD = (__name__, "kleis.elaborate.check_program")
GUARDS = Guards(cpu=120, wall=240.0, memory=4096)
"""Beyond these nothing is said about what elaboration would find."""


class TextVersion(msgspec.Struct, frozen=True):
    """A version of a text, and what its imports are looked for in: what a process needs to load it."""

    text: str
    file: str
    path: Path | None
    directory: Path | None
    search: ImportSearch
    buffers: Mapping[Path, str]

    def loaded(self) -> Loading:
        """The theory of the text."""
        loader = Loader(self.search, buffers=self.buffers)
        result = parse_source(self.text, file=self.file)
        return loader.load_source(Source(self.file, self.path, self.text, result), self.directory)


def elaborate(asked: TextVersion, steps: int) -> Answer:
    """An answer with the problems as its witness; `steps` are not counted, the guards limit it."""
    checked = check_loading(asked.loaded(), asked.file)
    own = [each for each in (*checked.parse, *checked.errors, *checked.problems) if each.file == asked.file]
    return Answer(outcome="silent", witness=tuple(own))

"""The record of the texts that Lean has read, and the page docs/lean-check.md, which is made from the record alone.

A reading of some files replaces what the record says of these, so that the corpus can be read in parts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kleis.lean import LeanFile
from kleis.lean.lean_file import TheoremEntry, imports_mathlib
from tests.lean import texts
from tests.lean.installation import HERE, Lean
from tests.lean.reading import Finding, Result

__all__ = [
    "PAGE",
    "RECORD",
    "Reading",
    "add",
    "digest",
    "is_read",
    "page",
    "recorded",
    "unread",
    "write_page",
]

PAGE = HERE.parents[1] / "docs" / "lean-check.md"
RECORD = HERE / "readings.json"

_HEAD = """# What Lean says of exported files

Written by `make lean` on {day}, with {versions}. Every file below was exported by `kleis export --lean --prove` and read
as a whole. {files} files, {theorems} theorems: {proofs} with a proof, {refutations} refuted, {open} open. Kleis verifies
{verified} of them; the others it refutes or leaves open. Lean reports {errors}. {unread}

{mathlib}| File | Lean | Theorems | Verified by Kleis | With a proof | Refuted | Open | Left out |
|---|---|---|---|---|---|---|---|
"""

_STUB = """*core*: the file is core Lean, and Lean has read all of it. *stub*: the file imports Mathlib, which is not here. It was
read below declarations of the names that it uses (tests/lean/stub.lean), where ℝ and ℂ have opaque operations; {left} proofs
in such files by `ring`, `linarith` or `norm_num`, which are Mathlib's, were left out of the reading. What a stub says about a file is
that its names, types and remaining proofs fit; that Mathlib's own declarations agree is not shown by it.

"""

_MATHLIB = "*Mathlib*: the file imports Mathlib and was read with it.\n\n"


def digest(text: str) -> str:
    """What identifies a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A text that Lean has read: its digest with proofs, and without them; who read it; what it holds.

    below
        ``core``, ``stub`` or ``Mathlib``: what it was read with.
    verified
        Theorems that Kleis verifies; those without a proof in Lean are open and say what they rest on.
    left_open
        Proofs that were left out of the reading for want of Mathlib.
    """

    proved: str
    stated: str
    day: str
    version: str
    below: str
    proofs: int
    refutations: int
    open: int
    omitted: int
    verified: int = 0
    left_open: int = 0
    errors: tuple[Finding, ...] = ()


def recorded() -> Mapping[str, Reading]:
    """What Lean has read, by name."""
    return msgspec.json.decode(RECORD.read_bytes(), type=dict[str, Reading])


def is_read(name: str, file: LeanFile, lean: Lean) -> bool:
    """Whether this Lean has read this text of a file, and found no error."""
    known = recorded().get(name)
    return (
        known is not None
        and (known.proved, known.version) == (digest(file.text), lean.version)
        and not known.errors
    )


def add(
    day: str, lean: Lean, files: Mapping[str, LeanFile], stated: Mapping[str, str], results: Sequence[Result]
) -> None:
    """Put readings into the record."""
    record = dict(recorded())
    for each in results:
        file = files[each.name]
        count = Counter(entry.status for entry in file.theorems)
        imports = imports_mathlib(file.text)
        record[each.name] = Reading(
            proved=digest(file.text),
            stated=digest(stated[each.name]),
            day=day,
            version=lean.version,
            below="stub" if each.stub else "Mathlib" if imports else "core",
            proofs=count["proof"],
            refutations=count["refutation"],
            open=count["sorry"],
            omitted=len(file.omitted),
            verified=sum(each.status == "proof" or _is_only_verified(each) for each in file.theorems),
            left_open=each.left_open,
            errors=each.errors,
        )
    encoded = msgspec.json.encode(dict(sorted(record.items())))
    RECORD.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")


def _is_only_verified(theorem: TheoremEntry) -> bool:
    """Whether a theorem is open in Lean and says what verified it."""
    return theorem.status == "sorry" and bool(theorem.method)


def write_page(sources: Mapping[str, Path]) -> None:
    """Write the page from the record; `sources` are all files that could be read."""
    PAGE.write_text(page(recorded(), unread(sources)), encoding="utf-8")


def unread(sources: Mapping[str, Path]) -> Mapping[str, str]:
    """The files that are not in the record, each with the reason."""
    return {name: texts.why_unread(sources[name]) for name in sorted(set(sources) - set(recorded()))}


def page(record: Mapping[str, Reading], reasons: Mapping[str, str]) -> str:
    """The page; `reasons` says of files that were not read, why."""
    readings = list(record.values())
    errors = sum(len(each.errors) for each in readings)
    proofs, refutations, left = (
        sum(getattr(each, kind) for each in readings) for kind in ("proofs", "refutations", "open")
    )
    below = {each.below for each in readings}
    stub = _STUB.format(left=sum(each.left_open for each in readings)) if "stub" in below else ""
    text = _HEAD.format(
        day=" and ".join(sorted({each.day for each in readings})),
        versions=" and ".join(sorted({each.version for each in readings})),
        files=len(readings),
        theorems=proofs + refutations + left,
        proofs=proofs,
        refutations=refutations,
        open=left,
        verified=sum(each.verified for each in readings),
        errors="no error" if not errors else f"{errors} errors",
        unread=_counted(len(reasons)),
        mathlib=stub + (_MATHLIB if "Mathlib" in below else ""),
    )
    text += "".join(_row(name, each) for name, each in record.items())
    if errors:
        text += "\n## Errors\n\n"
    for name, each in record.items():
        text += "".join(f"- {name}, line {one.line}: {one.message}\n" for one in each.errors)
    if reasons:
        text += "\n## Not read\n\n" + "".join(f"- {name} {reason}.\n" for name, reason in reasons.items())
    return text


def _counted(unread: int) -> str:
    if not unread:
        return "Nothing of the corpus was left out."
    return f"{unread} other files of the corpus were not read; the last section says why."


def _row(name: str, reading: Reading) -> str:
    said = f"{len(reading.errors)} errors" if reading.errors else reading.below
    numbers = (reading.proofs, reading.refutations, reading.open)
    cells = [name, said, *map(str, (sum(numbers), reading.verified, *numbers, reading.omitted))]
    return f"| {' | '.join(cells)} |\n"

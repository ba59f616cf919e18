"""Makes the certificates of the library's laws: `make certificates`, or `python -m registry.laws.prove_library`.

Every law is proved from nothing and its certificate checked; once all are, `stdlib/pif/certificates` is replaced
(`registry.tools.library`). The library's tools are translated alone, so the files depend on the library, the translation
and the version of Z3, whose proofs decide what is written, but not on the day or the machine. So no files are written where
a time limit cuts a proof, or where cvc5 is installed, which would find some of the proofs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from registry.laws.check_laws import check_laws
from registry.laws.law_prover import LawProver
from registry.laws.on_evolve import kept_law
from registry.records import LIBRARY_PREFIX, KeptLaw
from registry.tools.code_and_examples import verified
from registry.tools.library import CERTIFICATES, Library, ProvedTool, directory_of_the_library, proved_tool
from registry.tools.snapshot_tools import LibraryTools, TermCache

__all__ = ["NotProved", "main", "make_certificates", "proved_tools"]


class NotProved(Exception):
    """A law of the library without a proof; the message has its status and reason."""


def proved_tools(
    library: Library, prover: LawProver, names: Sequence[str] | None = None
) -> Iterator[ProvedTool]:
    """The file of each tool that has laws, or of those with these `names`, without their prefix, in order.

    Raises `NotProved` at the first law without a proof.
    """
    tools = LibraryTools(library, TermCache())
    chosen = [name for name, entry in library.entries.items() if entry.laws] if names is None else names
    for name in chosen:
        entry, full = library.entries[name], LIBRARY_PREFIX + name
        laws: list[KeptLaw] = []
        certificates: dict[str, str] = {}
        for report in check_laws(full, entry.laws, tools, tools.names, prover):
            if report.status != "proved":
                raise NotProved(f"{full}: {report.law} is {report.status}: {report.reason}")
            law, text = kept_law(report)
            laws.append(law)
            certificates[law.certificate] = text
        yield proved_tool(full, laws, certificates)


def make_certificates(directory: Path, out: TextIO) -> int:
    """Prove the laws of the library in a directory, then replace its certificates; how many laws there are."""
    library = Library(verified, directory)
    files: dict[str, bytes] = {}
    laws = 0
    with LawProver() as prover:
        for made in proved_tools(library, prover):
            name = made.tool.removeprefix(LIBRARY_PREFIX)
            files[f"{name}.json"] = made.as_file()
            laws += len(made.laws)
            print(f"{made.tool:20} {len(made.laws)} proved", file=out, flush=True)
    target = directory / CERTIFICATES
    target.mkdir(exist_ok=True)
    for path in target.glob("*.json"):
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (target / name).write_bytes(content)
    size = sum(map(len, files.values()))
    print(f"{laws} laws of {len(files)} tools proved; {size} bytes in {target}", file=out)
    return laws


def main() -> int:
    """Make them for the library of this program; 1 where a law is not proved."""
    if find_spec("cvc5") is not None:
        print("cvc5 is installed: make the certificates in an environment without it", file=sys.stderr)
        return 1
    try:
        make_certificates(directory_of_the_library(), sys.stdout)
    except NotProved as error:
        print(f"nothing was written: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

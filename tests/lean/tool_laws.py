"""The laws of the library of tools as theories: definitions that the translation makes of the tools, laws as assertions.

A law whose tools have no definition in Kleis is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis.syntax.printer.program import print_declaration, print_expression
from registry.laws.check_laws import LawCheck
from registry.laws.goals import Claim, LawQuestion, question
from registry.laws.law_prover import LawProver
from registry.laws.law_text import LawError
from registry.records import LIBRARY_PREFIX
from registry.tools.code_and_examples import verified
from registry.tools.library import Library
from registry.tools.snapshot_tools import LibraryTools, TermCache
from registry.translate.symbolic_values import Untranslatable

__all__ = ["theories_of_laws"]


def theories_of_laws() -> Iterator[tuple[str, str]]:
    """The name of each file of the library that has laws, and the theory of its tools."""
    library = Library(verified)
    tools = LibraryTools(library, TermCache())
    definitions: dict[str, dict[str, str]] = {}
    laws: dict[str, list[str]] = {}
    with LawProver() as prover:
        for name, entry in library.entries.items():
            check = LawCheck(tools, tools.names, prover, subject=tools.tool(LIBRARY_PREFIX + name))
            for each in entry.laws:
                asked = _question(check, each)
                if asked is None:
                    continue
                known = definitions.setdefault(entry.topic, {})
                needed = _definitions(check)
                if any(known.get(one, text) != text for one, text in needed.items()):
                    continue  # a helper of another tool has its name
                known.update(needed)
                laws.setdefault(entry.topic, []).append(f"    assert({print_expression(asked.claim)})\n")
    for topic, listed in laws.items():
        text = "\n".join(definitions[topic].values())
        yield topic, f'{text}\nexample "laws" {{\n{"".join(listed)}}}\n'


def _question(check: LawCheck, law: str) -> LawQuestion | None:
    try:
        claim = Claim(check.read(law))  # which makes the theory anew
        return question(check.theory, claim)
    except (LawError, Untranslatable):
        return None


def _definitions(check: LawCheck) -> dict[str, str]:
    """The definitions of the tools of the law that was read last, by name."""
    return {
        each.name: print_declaration(each)
        for translated in check.theory.translated.values()
        for each in translated.definitions
    }

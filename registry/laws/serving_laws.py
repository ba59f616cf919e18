"""Kept laws of tools as lemmas of another law: which may serve, and at which types (docs/reference/registry.md §7.4).

A law may serve where it is proved as written, is kept with a tool that the claim rests on, and is about nothing else, and
where all that it rests on has the code with which it was proved. Nothing is believed of it: as a lemma it is proved again,
before the claim and in the same certificate. So this choice decides how fast a law is proved, never whether it holds.

`∀(l : List(T))` is about a T that nothing declares. A lemma about it says nothing of lists of integers, so it is given at
the types of the claim.

Invariants
    * A law that is the claim, or whose proof rests on the claim, does not serve: no law is among its own lemmas.
    * A lemma's text, read as a law, is the lemma: it is how a certificate's lemmas are found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import msgspec

from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression
from pif.language.host import Tool, Tools
from registry.errors import RegistryError
from registry.laws.law_report import WHERE_DEFINED, has_changed
from registry.laws.law_text import Law, LawError, retyped
from registry.records import KeptLaw

__all__ = ["INSTANCES", "ServingLaw", "ServingLaws"]

INSTANCES = 120
"""Instances of laws that are looked at for one claim."""

_TYPES = 6
"""Types of a claim at which a law is taken."""

_Kept = Callable[[str], Sequence[KeptLaw]]
_Reader = Callable[[Tool | None, str], Law]
_Carriers = Callable[[tree.Expression], Sequence[str]]


class ServingLaw(msgspec.Struct, frozen=True):
    """A law that may be a lemma, after the laws `before` that its own proof uses."""

    law: Law
    before: tuple[Law, ...] = ()


class ServingLaws:
    """The laws that tools have, for claims about `subject`.

    `kept` gives the laws of the tool of a name, `read` reads one as a law of a tool, or of none; `carriers` gives the names
    of types in a law that nothing declares.
    """

    def __init__(
        self, subject: Tool | None, tools: Tools, kept: _Kept, read: _Reader, carriers: _Carriers
    ) -> None:
        self._subject = subject
        self._tools = tools
        self._kept = kept
        self._read = read
        self._carriers = carriers

    def of(
        self, claim: Law, reached: Sequence[Tool], types: Sequence[tree.TypeExpression]
    ) -> list[ServingLaw]:
        """The laws that may serve a claim that rests on these tools, at the types in it."""
        labels = {each.label for each in reached}
        found: list[ServingLaw] = []
        for tool in reached:
            known = {law.law: law for law in self._kept_with(tool.name) if self._holds(law)}
            for text in known:
                found += self._instances(text, tool, known, claim, labels, types)
                if len(found) >= INSTANCES:
                    return found[:INSTANCES]
        return found

    def _kept_with(self, name: str) -> Sequence[KeptLaw]:
        """The laws kept with a tool; none where its certificates cannot be read, which whoever shows the tool is told."""
        try:
            return self._kept(name)
        except RegistryError:
            return ()

    def _holds(self, law: KeptLaw) -> bool:
        """Whether a law is proved as written, of the tools as they are."""
        if law.status != "proved" or WHERE_DEFINED in law.labels or not law.tools:
            return False
        return not any(has_changed(label, hash_, self._tools) for label, hash_ in law.tools.items())

    def _instances(
        self,
        text: str,
        tool: Tool,
        known: Mapping[str, KeptLaw],
        claim: Law,
        labels: set[str],
        types: Sequence[tree.TypeExpression],
    ) -> Iterator[ServingLaw]:
        chain = _with_lemmas(text, known)
        if chain is None:
            return
        try:
            laws = [self._read(tool, each) for each in chain]
        except LawError:
            return
        for each, kept in zip(laws, chain, strict=True):
            is_other = not {*each.tools} <= {*known[kept].tools} & labels
            if each.safe or is_other or each.expression == claim.expression:
                return
        names = list(dict.fromkeys(name for each in laws for name in self._carriers(each.expression)))
        for chosen in product(types[:_TYPES], repeat=len(names)):
            at = dict(zip(names, chosen, strict=True))
            instance = [self.written(retyped(each.expression, at)) for each in laws]
            *before, law = instance
            if (
                law is None
                or None in before
                or claim.expression in [each.expression for each in filter(None, instance)]
            ):
                continue
            yield ServingLaw(law, tuple(filter(None, before)))

    def written(self, expression: tree.Expression) -> Law | None:
        """A proposition over the Kleis names of tools as a law of its own; None where its text reads as something else."""
        text = print_expression(expression)
        try:
            law = self._read(self._subject, text)
        except LawError:
            return None
        return law if print_expression(law.expression) == text and law.tools else None


def _with_lemmas(text: str, known: Mapping[str, KeptLaw]) -> list[str] | None:
    """The texts of a law's lemmas and of their lemmas, each before what uses it, then its own; None where one is missing."""
    found: dict[str, None] = {}

    def visit(each: str, above: frozenset[str]) -> bool:
        if each in found:
            return True
        if each not in known or each in above:
            return False
        if not all(visit(lemma, above | {each}) for lemma in known[each].lemmas):
            return False
        found[each] = None
        return True

    return list(found) if visit(text, frozenset()) else None

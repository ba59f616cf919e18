"""Whether a certificate is about the theory and the claim that its reader holds, and what is different if it is not.

Both are elaborated, and the digests of their goals compared: text does not count, meaning does.  A difference in what the
claim does not depend on is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kleis.core.canonical_bytes import canonical_bytes, digest_of
from kleis.core.goal import Goal
from kleis.delaborate.describe_goal import proposition_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.checker.format import Certificate
from kleis.prover.checker.kernel import parts_of
from kleis.prover.checker.strict_reading import from_json
from kleis.prover.protocol.engine import Task, declarations_of, with_lemmas
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.printer.program import print_expression
from kleis.theory.theory import Theory
from registry.cli.kleis.shared.loading import load, make_loader

__all__ = ["differences_from"]


def differences_from(data: bytes, theory: str, claim: str, path: Sequence[Path] = ()) -> tuple[str, ...]:
    """What differs between an accepted certificate and a reader's theory file and claim; empty texts are not compared."""
    given = from_json(data)
    certified = Theory().include(parse_program(given.theory, file="<theory>"))
    try:
        own = certified
        if theory:
            loading = load(make_loader(tuple(path)), theory)
            if loading.errors:
                raise loading.errors[0]
            own = loading.theory
        if claim and given.part:
            return ("the certificate is about declarations, and has no claim",)
        reader = _task(given, own, claim)
    except KleisError as error:
        return (f"what was given cannot be read: {error}",)
    there = _task(given, certified, "")
    if digest_of(reader.goal, reader.lemmas) == digest_of(there.goal, there.lemmas):
        return ()
    return tuple(_differences(there, reader)) or ("the goals have other digests",)


def _task(given: Certificate, theory: Theory, claim: str) -> Task:
    """What a certificate is about, in a theory, with another claim where there is one."""
    elaborator = Elaborator(theory)

    def elaborated(text: str, using: str) -> Goal:
        structure = parse_type(using, file="<using>") if using else None
        return elaborator.proposition(parse_expression(text, file="<claim>"), using=structure, file="<claim>")

    if given.part:
        found = dict(parts_of(elaborator)).get(given.part)
        if found is None:
            raise KleisError(f"the theory has no part {given.part}", code="certificate-part")
        return Task(declarations_of(found))
    goal = elaborated(claim or given.claim, "" if claim else given.using)
    if given.status == "inconsistent":
        goal = declarations_of(goal)
    return with_lemmas(goal, [elaborated(each.claim, given.using) for each in given.lemmas])


def _differences(there: Task, here: Task) -> Iterator[str]:
    """The parts of two goals that differ: those of the certificate, then those of the reader."""
    claims = [_claim(each.goal) for each in (there, here)]
    if canonical_bytes(there.goal.claim) != canonical_bytes(here.goal.claim):
        yield f"the claim: certified {claims[0]}; given {claims[1]}"
    for what, parts in _PARTS.items():
        certified, given = parts(there.goal), parts(here.goal)
        for name in dict.fromkeys((*certified, *given)):
            if name not in given:
                yield f"{what} {name}: only certified"
            elif name not in certified:
                yield f"{what} {name}: only given"
            elif certified[name] != given[name]:
                yield f"{what} {name}: another meaning"
        if list(certified) != list(given) and set(certified) == set(given):
            yield f"the order of each {what}"
    if canonical_bytes(list(there.lemmas)) != canonical_bytes(list(here.lemmas)):
        yield "the lemmas mean something else"


def _claim(goal: Goal) -> str:
    proposition = proposition_of(goal)
    return "nothing" if proposition is None else print_expression(proposition)


def _named(
    name: Callable[[Any], str], value: Callable[[Any], Any]
) -> Callable[[Sequence[Any]], dict[str, bytes]]:
    return lambda parts: {name(each): canonical_bytes(value(each)) for each in parts}


_axioms = _named(lambda each: each.name, lambda each: (each.standing, each.formula))
_definitions = _named(lambda each: each.name, lambda each: each)
_obligations = _named(lambda each: each.name, lambda each: (each.kind, each.subject, each.formula))
_data = _named(lambda each: ", ".join(one.sort.name for one in each), lambda each: each)
_terminations = _named(lambda each: each[0], lambda each: (each[1].kind, each[1].arguments, each[1].measures))
_symbols = _named(lambda each: each.name, lambda each: each)

_PARTS: dict[str, Callable[[Goal], dict[str, bytes]]] = {
    "axiom": lambda goal: _axioms(goal.axioms),
    "definition": lambda goal: _definitions(goal.definitions),
    "operation": lambda goal: _symbols(goal.symbols),
    "data type": lambda goal: _data(goal.data),
    "termination of": lambda goal: _terminations(goal.terminations),
    "obligation": lambda goal: _obligations(goal.obligations),
}

"""The proved laws of the library: which of them serve a claim, and that their proofs are valid here.

See docs/reference/proving.md §5.13.

    laws = LibraryLaws(elaborator, broker, cache)
    prover.decide_goal(goal, laws.serving(goal))

`stdlib/kleis/laws` has a file for each module with laws: each law with what it speaks of, and its certificate.

Invariants
    * A law serves only if its text means here what its certificate proves: the digests of the goals are equal, so the
      definitions are the same, to the last one they reach.  A session that defines a name anew has another goal.
    * It serves only if the checker accepts its certificate, in a child process, by this version of the program; that it
      did is kept like a verdict.
    * A law whose proof rests on axioms serves where they hold (`facts.local_to`).
    * At most `_MOST` laws serve a claim, and the choice depends on the goal alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis import core
from kleis.core.canonical_bytes import digest_of
from kleis.core.goal import Goal
from kleis.core.traversal import reach, subterms
from kleis.decoding import decode_json
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.facts import Fact, local_to
from kleis.prover.known_laws import useful_laws
from kleis.prover.portfolio import PRELOAD
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, with_lemmas
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.verdict_cache import Verdicts, key_of
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.import_search import packaged_library

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["FOLDER", "KEPT", "KeptLaw", "LibraryLaws", "judge_law", "kept_laws", "spoken_of"]

FOLDER = "laws"
"""The folder of the library that has the laws."""

KEPT = "library"
"""What the verdict of a law that is kept names as its engine."""

_MOST = 8
"""Laws that serve one claim."""

_MOST_LOOKED_AT = 24
"""Laws that are read for one claim."""

_JOB = "kleis.prover.library_laws:judge_law"
_KERNEL = "kleis.prover.checker.kernel"
_GUARDS = Guards(cpu=60, wall=120.0, memory=2048)


class KeptLaw(msgspec.Struct, frozen=True):
    """A law as it is kept: its name with its module, the claim, what it speaks of, and its certificate as JSON."""

    name: str
    claim: str
    symbols: tuple[str, ...]
    certificate: msgspec.Raw

    @property
    def data(self) -> bytes:
        """The bytes of the certificate, as its file would have them."""
        return bytes(self.certificate).strip() + b"\n"


def spoken_of(formula: core.Term) -> frozenset[str]:
    """What a formula itself speaks of: definitions at their sorts, declared operations, and built-ins of lists and data."""
    found: set[str] = set()
    for each in subterms(formula):
        if isinstance(each, core.DefinitionCall):
            found.add(f"definition {each.definition}")
        elif isinstance(each, core.SymbolCall) and each.arguments:
            found.add(f"symbol {each.symbol.name}")
        elif isinstance(each, core.BuiltinCall) and any(_of_values(a.sort) for a in each.arguments):
            found.add(f"operation {each.operation.name}")
    return frozenset(found)


def _of_values(sort: core.Sort) -> bool:
    return isinstance(sort, core.ListOf | core.DataSort | core.SetOf)


@lru_cache(maxsize=4)
def kept_laws(directory: Path | None = None) -> tuple[KeptLaw, ...]:
    """The laws that are kept, module by module; none where a file cannot be read."""
    root = directory or packaged_library()
    found: list[KeptLaw] = []
    for path in sorted((root / FOLDER).glob("*.json")) if root is not None else ():
        try:
            found += decode_json(path.read_bytes(), tuple[KeptLaw, ...])
        except (OSError, msgspec.DecodeError):
            continue
    return tuple(found)


class LibraryLaws:
    """The laws of the library for claims of one theory.  `directory` is that of the library, if it is another one."""

    def __init__(
        self,
        elaborator: Elaborator,
        broker: Broker,
        cache: Verdicts | None = None,
        directory: Path | None = None,
    ) -> None:
        self._elaborator = elaborator
        self._broker = broker
        self._cache = cache
        self._directory = directory
        self._goals: dict[str, Goal | None] = {}
        self._digests: dict[str, str] = {}
        self._stand: dict[str, Verdict | None] = {}

    def offered(self, goal: Goal) -> tuple[tuple[KeptLaw, Goal], ...]:
        """The laws that share most with what a claim speaks of and mean here what they mean in the library; few.

        Their certificates are not checked yet.
        """
        if goal.claim is None or goal.unsettled:
            return ()
        definitions = {each.key: each for each in goal.definitions}
        reached = reach((goal.claim,), definitions).definitions
        bodies = (definitions[each].body for each in reached)
        about = spoken_of(goal.claim).union(
            *map(spoken_of, bodies), (f"definition {each}" for each in reached)
        )
        if not any(_is_declared(each) for each in about):
            return ()
        ranked = sorted(
            (each for each in kept_laws(self._directory) if _concerns(each, about)),
            key=lambda each: (len(set(each.symbols) - about), -len(set(each.symbols) & about)),
        )
        if not any(_of_declared(each.symbols, about) for each in ranked):
            return ()
        meant = [(each, self._meaning(each)) for each in ranked[:_MOST_LOOKED_AT]]
        found = [(each, own) for each, own in meant if own is not None and own.claim is not None]
        used = useful_laws(goal.claim, [own.claim for _, own in found if own.claim is not None])
        chosen = [found[place] for place in used.places] if used.settles else found
        return tuple(chosen[:_MOST])

    def serving(self, goal: Goal) -> tuple[Fact, ...]:
        """The laws that serve a claim: those that are offered, hold where it is, and whose certificates are valid."""
        offered = self.offered(goal)
        self._check([(law, own) for law, own in offered if law.name not in self._stand])
        verdicts = ((law, own, self._stand[law.name]) for law, own in offered)
        facts = [Fact.of(own, found, (), law.name) for law, own, found in verdicts if found is not None]
        return tuple(each for each in facts if not local_to(each, goal))

    def _meaning(self, law: KeptLaw) -> Goal | None:
        """The goal that a law is here; None where it is another one than the certificate proves, or none."""
        if law.name not in self._goals:
            self._goals[law.name] = self._meant(law)
        return self._goals[law.name]

    def goal_of(self, claim: str) -> Goal:
        """What a claim of the library means in the theory.  Raises KleisError where it means nothing."""
        return self._elaborator.proposition(parse_expression(claim))

    def _meant(self, law: KeptLaw) -> Goal | None:
        from kleis.prover.checker.format import CertificateError
        from kleis.prover.checker.strict_reading import from_json

        try:
            goal = self.goal_of(law.claim)
            certificate = from_json(law.data)
            task = with_lemmas(goal, [self.goal_of(each.claim) for each in certificate.lemmas])
            meant = digest_of(task.goal, task.lemmas)
        except (KleisError, CertificateError):
            return None
        same = (
            certificate.status == "verified"
            and certificate.claim == law.claim
            and not certificate.using
            and certificate.goal == meant
        )
        self._digests[law.name] = meant
        return goal if same else None

    def _check(self, laws: Sequence[tuple[KeptLaw, Goal]]) -> None:
        """Find out whether the certificates of laws are valid, side by side where that is not kept."""
        asked: list[tuple[KeptLaw, str, Future[Answer]]] = []
        for law, goal in laws:
            option = f"library law {law.name} {hashlib.sha256(law.data).hexdigest()}"
            key = key_of(goal, (), option) if self._cache is not None else ""
            kept = self._cache.get(key) if self._cache is not None else None
            if kept is not None and kept.status == "verified":
                self._stand[law.name] = kept
                continue
            job = self._broker.submit(_JOB, law.data, 1, guards=_GUARDS, preload=(*PRELOAD, _KERNEL))
            asked.append((law, key, job[1]))
        for law, key, future in asked:
            answer = future.result()
            if answer.outcome != "proved" or answer.detail != self._digests[law.name]:
                self._stand[law.name] = None
                continue
            verdict = Verdict(
                status="verified",
                claim=law.claim,
                engine=KEPT,
                core=answer.core,
                consistency="model" if answer.witness != "unknown" else "unknown",
            )
            self._stand[law.name] = verdict
            if self._cache is not None:
                self._cache.put(key, verdict)


def _concerns(law: KeptLaw, about: frozenset[str]) -> bool:
    """Whether a law shares a definition or operation with a claim, or has nothing but built-ins of it."""
    return set(law.symbols) <= about or _of_declared(law.symbols, about)


def _of_declared(symbols: Sequence[str], about: frozenset[str]) -> bool:
    """Whether something declared is among both: claims about built-ins alone have no need of the library."""
    return any(each in about and _is_declared(each) for each in symbols)


def _is_declared(symbol: str) -> bool:
    return not symbol.startswith("operation ")


def judge_law(data: bytes, steps: int) -> Answer:
    """The job of a check: `proved` with the axioms used, the digest that the check found right and what is known of a model."""
    from kleis.prover.checker.kernel import Refusal, judge  # runs in children, which find it loaded
    from kleis.prover.checker.strict_reading import from_json

    del steps
    try:
        certificate = from_json(data)
        judgement = judge(certificate, ("z3",))
    except Refusal as error:
        return Answer(outcome="silent", detail=f"{error.step}: {error.why}")
    except KleisError as error:
        return Answer(outcome="silent", detail=error.message)
    if judgement.status != "verified" or judgement.assumed:
        return Answer(outcome="silent", detail="it shows no law")
    return Answer(outcome="proved", core=judgement.core, detail=certificate.goal, witness=judgement.model)

"""Laws of the library in certificates: the laws that proofs use stand before everything else, with their own proofs.

See docs/reference/proving.md §5.13.  A proof was found with the laws that were offered for its claim, after its other lemmas;
in a certificate all laws that are used come first, once.  So what a proof calls ``lemma 4`` has another number there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kleis.core.goal import Goal
from kleis.decoding import converted
from kleis.prover.checker.format import Certificate, Ground, Lemma, Step
from kleis.prover.checker.strict_reading import from_json
from kleis.prover.facts import lemma_name
from kleis.prover.library_laws import KeptLaw, LibraryLaws, kept_laws
from kleis.prover.protocol.verdict import Verdict

__all__ = ["LawsInProofs", "chained", "with_names"]

_Offered = tuple[tuple[str, Goal], ...]


class LawsInProofs:
    """The laws that the proofs of one certificate use."""

    def __init__(self, library: LibraryLaws, verdicts: Sequence[Verdict]) -> None:
        self._library = library
        used = {name for each in verdicts for name in each.core}
        self._laws: list[KeptLaw] = [each for each in kept_laws() if f"lemma {each.name}" in used]
        self._certificates = [from_json(each.data) for each in self._laws]
        self.lemmas = chained(self._certificates)
        self._goals: dict[str, Goal] = {}

    @property
    def goals(self) -> list[Goal]:
        """What the lemmas say here, in their order."""
        own = {each.claim: self._goals.get(each.name) for each in self._laws}
        return [own.get(each.claim) or self._library.goal_of(each.claim) for each in self.lemmas]

    @property
    def grounds(self) -> dict[str, Ground]:
        """The proofs of conditions that the laws rest on, by name."""
        return {ground.name: ground for each in self._certificates for ground in each.grounds}

    def offered(self, goal: Goal, verdict: Verdict) -> _Offered:
        """The laws that a proof was found with; none where it uses none."""
        if not any(f"lemma {each.name}" in verdict.core for each in self._laws):
            return ()
        facts = self._library.serving(goal)
        self._goals |= {each.name: each.goal for each in facts}
        return tuple((each.name, each.goal) for each in facts)

    def renamed(self, steps: tuple[Step, ...], before: int, offered: _Offered) -> tuple[Step, ...]:
        """The steps with the numbers that lemmas have in the certificate."""
        if not self._laws:
            return steps
        claims = {each.claim: place for place, each in enumerate(self.lemmas, 1)}
        place_of = {each.name: claims[each.claim] for each in self._laws}
        names = {lemma_name(place): lemma_name(place + len(self.lemmas)) for place in range(1, before + 1)}
        for place, (name, _) in enumerate(offered, before + 1):
            if name in place_of:
                names[lemma_name(place)] = lemma_name(place_of[name])
        return with_names(steps, names)


def chained(certificates: Sequence[Certificate]) -> tuple[Lemma, ...]:
    """What certificates show as lemmas of another one: the lemmas of each before it, once each."""
    found: dict[str, Lemma] = {}
    places: dict[str, int] = {}
    for certificate in certificates:
        own = (*certificate.lemmas, Lemma(certificate.claim, certificate.steps))
        for each in own:
            if each.claim not in found:
                names = {
                    lemma_name(place): lemma_name(places[before.claim])
                    for place, before in enumerate(certificate.lemmas, 1)
                    if before.claim in places
                }
                places[each.claim] = len(found) + 1
                found[each.claim] = Lemma(each.claim, with_names(each.steps, names))
    return tuple(found.values())


def with_names(steps: Sequence[Step], names: Mapping[str, str]) -> tuple[Step, ...]:
    """Steps with other names of what they are given."""

    def change(part: Any) -> Any:
        if isinstance(part, str):
            return names.get(part, part)
        if isinstance(part, list | tuple):
            return [change(each) for each in part]
        if isinstance(part, dict):
            return {key: each if key == "shows" else change(each) for key, each in part.items()}
        return part

    return converted(change(msgspec.to_builtins(tuple(steps))), tuple[Step, ...])

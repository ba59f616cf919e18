"""A question to the prover from the command line, and the prover that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from registry.cli.kleis.shared.patience import PATIENT, Patience

if TYPE_CHECKING:
    from kleis.prover.axioms_alone import Outcomes
    from kleis.prover.kept_certificates import Elsewhere
    from kleis.prover.portfolio import Entry
    from kleis.prover.process.broker import Broker
    from kleis.prover.prover import Prover
    from kleis.prover.verdict_cache import VerdictCache
    from kleis.theory.theory import Theory

__all__ = ["Question", "make_prover", "user_cache"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A proposition with its imports and lemmas, and where its certificate goes."""

    proposition: str
    imports: tuple[str, ...] = ()
    using: str = ""
    lemmas: tuple[str, ...] = ()
    path: tuple[Path, ...] = ()
    fresh: bool = False
    strict: bool = False
    certificate: Path | None = None
    html: Path | None = None
    patience: Patience = PATIENT


def make_prover(
    theory: Theory,
    *,
    fresh: bool = False,
    broker: Broker | None = None,
    beside: bool = True,
    effort: int = 1,
    order: Sequence[Entry] | None = None,
    assumes: bool = True,
    elsewhere: Elsewhere | None = None,
    known: Outcomes | None = None,
) -> Prover:
    """A prover with the user's cache of verdicts (none if `fresh`), and cvc5 where it is installed."""
    from kleis.prover.portfolio import ORDER
    from kleis.prover.prover import Prover

    cache = None if fresh else user_cache()
    cvc5 = find_spec("cvc5") is not None
    engines = ORDER if order is None else order
    return Prover(
        theory,
        broker=broker,
        order=engines,
        cache=cache,
        cvc5=cvc5,
        beside=beside,
        effort=effort,
        assumes=assumes,
        elsewhere=elsewhere,
        known=known,
    )


def user_cache() -> VerdictCache:
    """The verdicts that the user's home keeps."""
    from kleis.prover.verdict_cache import VerdictCache
    from registry.home import find_home

    return VerdictCache(find_home().path / "verdicts")

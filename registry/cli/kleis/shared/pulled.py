"""Certificates that `pif pull` took in, as the commands use them: one that answers a question takes the place of the search.

See docs/reference/proving.md §11.1.  Each is checked here when its question is first asked; the verdict is in the cache from
then on.  One that shows nothing is named and put aside, and the question is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kleis.problems import AnswerWarning

if TYPE_CHECKING:
    from kleis.prover.kept_certificates import Elsewhere
    from kleis.prover.process.broker import Broker

__all__ = ["found_elsewhere", "pulled_verdicts"]


def found_elsewhere(
    broker: Broker, note: Callable[[str], None], arrived: Elsewhere | None, *, fresh: bool, home: Path | None = None
) -> Elsewhere | None:  # fmt: skip
    """What workers bring, which has `arrived`, and what was pulled; the latter not where verdicts are to be `fresh`."""
    if fresh:
        return arrived
    return pulled_verdicts(broker, lambda warning: note(f"warning  {warning}"), beside=arrived, home=home)


def pulled_verdicts(
    broker: Broker, told: Callable[[AnswerWarning], None], *, beside: Elsewhere | None = None, home: Path | None = None
) -> Elsewhere | None:  # fmt: skip
    """The verdicts of certificates in the user's home, then those `beside`; `told` of each certificate that shows nothing. A home without
    any takes no more modules."""
    from kleis.prover.kept_certificates import CERTIFICATES, REFUSED, AnyElsewhere
    from registry.home import find_home

    root = find_home(home).path
    if not (root / CERTIFICATES).is_dir():
        return beside
    from kleis.prover.certificates.claimed_verdicts import ClaimedVerdicts
    from registry.store.shared_state import certificate_files

    def refused(question: str, why: str) -> None:
        aside = root / CERTIFICATES / REFUSED / f"{question}.json"
        told(
            AnswerWarning(
                "certificate-refused",
                f"the certificate that came for the question {question[:12]}… shows nothing of it, and the question was decided here: {why}",
                f"it was put aside: kleis certificate check {aside}",
            )
        )

    claimed = ClaimedVerdicts(certificate_files(root), broker, refused)
    return claimed if beside is None else AnyElsewhere((claimed, beside))

"""Laws that are claimed: what it takes to believe one (docs/reference/registry.md §7.9).

A law is `claimed` where it came with an import, or where its certificate is of a format that is not checked any more.

1. The law is run at boundaries and at `SAMPLED` assignments made from a seed. One that is false there is dropped, and the
   counterexample is reported: no certificate is looked at.
2. Its certificate is checked. It must be of this law and of the tools as they are: the registry translates the tools and
   reads the law again, and compares. Then everything in it is decided again. Nothing is searched for.
3. A law that nobody says is proved is `tested` or `untested` by its runs, as any other. One whose certificate does not
   show it stays `claimed`, with what is wrong.

With `again` the prover is asked instead, as for a new law; where `workers` have brought a certificate, that is checked first.

Invariant: of what a file says of a law only this is used: its text, the texts of its lemmas, and the certificate.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from pif.language.terms import Json
from pif.run.evaluate import Answer
from registry.laws.certified_laws import certified_law, shown_law
from registry.laws.check_laws import CASES, LawCheck
from registry.laws.law_report import LawReport, late
from registry.laws.on_evolve import kept_law
from registry.records import KeptLaw, ToolRecord, as_claimed, certificate_hash, laws_text, read_laws
from registry.store.protocol import Store
from registry.tools.snapshot_tools import Overlay, SnapshotTools

if TYPE_CHECKING:
    from registry.laws.law_prover import LawProver
    from registry.laws.law_workers import Arriving, LawWorkers

__all__ = ["NOT_TRIED", "SAMPLED", "renewed", "settled"]

SAMPLED = 60
"""Assignments made from a seed at which a claimed law is tried, besides those at boundaries."""

NOT_TRIED = "no point was tried: no values of its variables are made up"
"""The label of a law whose certificate holds, and which could not be tried."""

_OF_TESTED = ("without a value at ", "not decided at ")
"""How labels begin that say nothing of a law that is proved."""

_WITHOUT_PROOF = "it came without a proof"


def settled(
    references: Sequence[str],
    tools: SnapshotTools,
    store: Store,
    prover: Callable[[], LawProver],
    *,
    again: bool = False,
    jobs: int = 1,
    workers: LawWorkers | None = None,
) -> list[dict[str, Json]]:
    """What became of the claimed laws of versions of the home, as rows of an answer, those that were dropped among them.

    `again`: they are proved anew. `jobs` versions are looked at side by side: what is proved of one serves no other, so rows are the same
    whatever their number. A version that somebody else changes meanwhile is left as it is. `workers` are asked about all versions first.
    """
    records = [
        record
        for record in filter(None, map(tools.find, references))
        if any(law.status == "claimed" for law in read_laws(record.laws))
    ]
    if not records:
        return []
    asked = prover()
    look = partial(_settled, tools=tools, store=store, prover=asked, again=again)
    if jobs == 1 and workers is None:
        return [row for record in records for row in look(record)]
    executor = ThreadPoolExecutor(jobs, thread_name_prefix="pif-renew")
    try:
        if workers is None:
            return [row for rows in executor.map(look, records) for row in rows]
        return _settled_with(workers, records, tools, executor, look, _seconds_left(asked))
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _settled_with(
    workers: LawWorkers,
    records: Sequence[ToolRecord],
    tools: SnapshotTools,
    executor: ThreadPoolExecutor,
    look: Callable[..., list[dict[str, Json]]],
    seconds: float,
) -> list[dict[str, Json]]:
    """The rows of versions, each decided here as soon as workers have said what they have of it."""
    from registry.laws.law_workers import Arriving  # not needed without workers

    asked = [
        (record, [law.law for law in read_laws(record.laws) if law.status == "claimed"]) for record in records
    ]
    running: dict[str, tuple[Arriving, Future[list[dict[str, Json]]]]] = {}
    for record, answer in workers.prove(asked, tools, seconds):
        arriving = Arriving(answer)
        running[record.reference] = arriving, executor.submit(look, record, arriving=arriving)
    rows = [row for record in records for row in running[record.reference][1].result()]
    rejected: Counter[str] = Counter()
    for arriving, _ in running.values():
        rejected[arriving.worker] += arriving.rejected
    for worker, count in sorted(rejected.items()):
        if count:
            workers.note(
                f"worker {worker}: {count} of its certificates did not pass the check; those laws were decided here"
            )
    return rows


def _seconds_left(prover: LawProver) -> float:
    """What a worker has for a task: 0 where there is no limit."""
    deadline = prover.deadline
    if deadline is None or deadline.seconds == math.inf:
        return 0.0
    return max(0.1, deadline.until - time.monotonic())


def renewed(
    references: Sequence[str],
    tools: Callable[[], SnapshotTools],
    store: Store,
    prover: Callable[[], LawProver],
    jobs: int = 1,
    workers: LawWorkers | None = None,
) -> Answer:
    """The answer of `certificate renew`: claimed laws checked, and what is claimed still proved anew, of `jobs` versions at a time,
    with what `workers` find of it."""
    chosen = list(references)
    if not chosen:
        snapshot = store.snapshot()
        lineages = filter(None, map(snapshot.lineage, snapshot.names()))
        chosen = [record.reference for lineage in lineages for record in reversed(lineage.versions)]
    first = settled(chosen, tools(), store, prover, jobs=jobs)
    open_ = list(dict.fromkeys(row["tool"] for row in first if row["status"] == "claimed"))
    again = settled(open_, tools(), store, prover, again=True, jobs=jobs, workers=workers)
    known = {(row["tool"], row["law"]) for row in again}
    laws = [row for row in first if (row["tool"], row["law"]) not in known] + again
    return {"type": "renewed", "ok": all(row["status"] == "proved" for row in laws), "laws": laws}


def _settled(
    record: ToolRecord,
    tools: SnapshotTools,
    store: Store,
    prover: LawProver,
    *,
    again: bool,
    arriving: Arriving | None = None,
) -> list[dict[str, Json]]:
    """Decide the claimed laws of a version, and keep what was found; nothing where it was changed meanwhile."""
    tool = tools.tool(record.reference)
    if tool is None:  # code of a team that leaves names to its caller has none
        return []
    view = Overlay(tools, tool.name, tool.version, tool.term)
    check = LawCheck(view, tools.names, prover, subject=view.new, kept=view.kept_laws)
    kept: list[KeptLaw] = []
    reports: list[dict[str, Json]] = []
    texts: dict[str, str] = {}
    for law in read_laws(record.laws):
        if law.status != "claimed":
            kept.append(law)
            continue
        report = (
            _proved_anew(law, check, arriving) if again else _by_certificate(law, check, store.certificate)
        )
        shown = {"tool": record.reference, **report.as_json()}
        if report.status == "refuted":
            reports.append({**shown, "dropped": True})
            continue
        if report.status == "claimed":
            kept.append(as_claimed(law, report.reason))
        else:
            new, text = kept_law(report)
            kept.append(new)
            if text:
                texts[new.certificate] = text
        reports.append(shown)
    return reports if store.keep_laws(record, laws_text(tuple(kept)), texts) else []


def _proved_anew(law: KeptLaw, check: LawCheck, arriving: Arriving | None) -> LawReport:
    """A law decided as a new one; one that cannot be read here is still only claimed."""
    deadline = check.prover.deadline
    if deadline is not None and deadline.over:
        return LawReport(law.law, "claimed", reason=late(deadline.seconds))
    came = None if arriving is None else arriving.of(law.law)
    if came is not None and arriving is not None:
        found = shown_law(check, law.law, came.lemmas, came.certificate, came.engine)
        if found is not None:
            return found
        arriving.rejected += not (deadline is not None and deadline.over)
    report = check.report(law.law)
    return _unreadable(report) if report.status == "error" else report


def _by_certificate(law: KeptLaw, check: LawCheck, certificate: Callable[[str], str | None]) -> LawReport:
    """A law tried, and then shown by its certificate, if it has one that does."""
    tried = check.sampled(law.law, _WITHOUT_PROOF, cases=SAMPLED, at_boundaries=True)
    if tried.status == "error":
        return _unreadable(tried)
    if tried.status == "refuted":
        return tried
    deadline = check.prover.deadline
    if deadline is not None and deadline.over:
        return LawReport(law.law, "claimed", reason=late(deadline.seconds))
    if not law.certificate:
        return check.sampled(law.law, _WITHOUT_PROOF, cases=CASES, at_boundaries=False)
    text = certificate(law.certificate)
    if text is None or certificate_hash(text) != law.certificate:
        return LawReport(law.law, "claimed", reason="its certificate is not there")
    report = certified_law(check, law.law, law.lemmas, text)
    if report.status == "claimed":
        return report
    labels = [each for each in tried.labels if not each.startswith(_OF_TESTED)]
    if tried.seed is None:
        labels.append(NOT_TRIED)
    return msgspec.structs.replace(report, labels=(*labels, *report.labels), tools=tried.tools)


def _unreadable(report: LawReport) -> LawReport:
    return msgspec.structs.replace(
        report, status="claimed", reason=f"it cannot be read here: {report.reason}"
    )

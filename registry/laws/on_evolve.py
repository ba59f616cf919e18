"""The laws that a new version of a tool must keep (docs/reference/registry.md §7.6).

A new version keeps the laws of the current one, except those it drops, and every law is decided anew for new code. A law
that is refuted, old or new, rejects the version; an undecided law is kept as tested. For unchanged code only these laws are
asked: new ones, those that a time limit left open, stale ones, and those that are only claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from pif.language.errors import PifError, nearest
from pif.language.host import Tools
from pif.language.terms import Json
from registry.errors import RegistryError
from registry.laws.law_report import LATE, WHERE_DEFINED, has_changed
from registry.records import (
    CERTIFICATE_FORMAT,
    NO_LAWS,
    KeptLaw,
    ToolRecord,
    certificate_hash,
    laws_text,
    read_laws,
)
from registry.tools.snapshot_tools import LibraryTools, Overlay, SnapshotTools

if TYPE_CHECKING:
    from registry.laws.check_laws import LawCheck
    from registry.laws.law_prover import LawProver
    from registry.laws.law_report import LawReport

__all__ = ["LAWS", "CheckedLaws", "check_on_evolve", "current_laws", "is_stale", "kept_law", "recheck"]

LAWS = 40
"""Laws that one tool may have."""


class CheckedLaws(msgspec.Struct, frozen=True):
    """The laws of a version as the store keeps them (None: unchanged), their certificates by hash, and the answer."""

    laws: str | None
    certificates: dict[str, str]
    reports: list[Json]
    dropped: list[str]


def check_on_evolve(
    name: str,
    asked: Sequence[str],
    dropped: Sequence[str],
    before: ToolRecord | None,
    view: Overlay,
    names: Callable[[], Iterable[str]],
    prover: Callable[[], LawProver],
    *,
    same_code: bool,
) -> CheckedLaws:
    """Decide the laws of a new version. `before` is the current one; `view` has the new one in its place.

    Raises `law_disproved` for a law that is refuted, `invalid_argument` for a text that is no law.
    """
    old = {law.law: law for law in read_laws(before.laws)} if before is not None else {}
    _check_dropped(dropped, old)
    kept = {text: law for text, law in old.items() if text not in dropped}
    new = [text for text in dict.fromkeys(asked) if text not in kept]
    if not kept and not new:
        return CheckedLaws(NO_LAWS if old and dropped else None, {}, [], list(dropped))
    if len(kept) + len(new) > LAWS:
        raise RegistryError(
            "invalid_argument", f"{name} would have {len(kept) + len(new)} laws", place="laws",
            found=str(len(kept) + len(new)), expected=f"at most {LAWS}",
            hint="Drop some with `drop_laws`, or state them of another tool.",
        )  # fmt: skip
    return _LawsOnEvolve(name, before, view, names, prover).checked(kept, new, list(asked), same_code=same_code,
                                                                dropped=list(dropped))  # fmt: skip


class _LawsOnEvolve:
    """The laws of one call of `evolve`."""

    def __init__(
        self,
        name: str,
        before: ToolRecord | None,
        view: Overlay,
        names: Callable[[], Iterable[str]],
        prover: Callable[[], LawProver],
    ) -> None:
        self._name = name
        self._before = before
        self._view = view
        self._names = names
        self._prover = prover
        self._check: LawCheck | None = None
        self._certificates: dict[str, str] = {}
        self._total = self._done = 0

    def checked(
        self,
        kept: dict[str, KeptLaw],
        new: list[str],
        asked: list[str],
        *,
        same_code: bool,
        dropped: list[str],
    ) -> CheckedLaws:
        """Decide all laws, those of the current version first."""
        self._total = len(kept) + len(new)
        laws: list[KeptLaw] = []
        reports: list[Json] = []
        for text, law in kept.items():
            settled = law.status != "claimed" and not _is_late(law)
            if same_code and settled and not is_stale(law, self._view):
                laws.append(law)
                reports.append(law.as_json())
                continue
            laws.append(self._asked(text, "laws", was=law))
            reports.append({**laws[-1].as_json(), "was": law.status})
        for text in new:
            laws.append(self._asked(text, f"laws/{asked.index(text)}", was=None))
            reports.append(laws[-1].as_json())
        return CheckedLaws(laws_text(tuple(laws)), self._certificates, reports, dropped)

    def _asked(self, text: str, place: str, was: KeptLaw | None) -> KeptLaw:
        check = self._laws()
        self._report_progress(check, text)
        report = check.report(text)
        self._report_progress(check, text)
        if report.status == "refuted":
            raise self._refuted(report, place, was)
        if report.status == "error":
            from registry.laws.law_text import spelling_hint

            hint = spelling_hint(text, report.reason, self._view, self._names_here, report.hint)
            raise RegistryError(
                "invalid_argument", f"this is no law: {report.reason}", place=place, found=text[:200],
                expected="a Kleis proposition about the tool",
                hint=hint or f"For example safe({self._name}), or drop it with `drop_laws`.",
            )  # fmt: skip
        law, certificate = kept_law(report)
        if certificate:
            self._certificates[law.certificate] = certificate
        return law

    def _names_here(self) -> tuple[str, ...]:
        """The tools of the home, and the one that is made."""
        return (*self._names(), self._name)

    def _report_progress(self, check: LawCheck, text: str) -> None:
        """Report progress to the caller; raises `cancelled` where the call was."""
        deadline = check.prover.deadline
        if deadline is None:
            return
        if deadline.abandoned:
            raise PifError("cancelled", "the call was cancelled; nothing was kept")
        deadline.report(self._done, 2 * self._total, text)
        self._done += 1

    def _refuted(self, report: LawReport, place: str, was: KeptLaw | None) -> RegistryError:
        hint = "Correct the code or the law; nothing was kept."
        what = "the law does not hold"
        if was is not None and self._before is not None:
            what = f"the law of {self._before.reference} would not hold any more"
            hint = f"Nothing was kept. Correct the code, or give the law up with drop_laws: [{report.law!r}]."
        return RegistryError(
            "law_disproved", f"{what}: {report.law}: {report.reason}", place=place, found=report.reason,
            expected=report.law, hint=hint, counterexample=report.counterexample,
        )  # fmt: skip

    def _laws(self) -> LawCheck:
        """The check, made for the first law: the prover is slow to load."""
        if self._check is None:
            from registry.laws.check_laws import LawCheck

            self._check = LawCheck(
                self._view, self._names, self._prover(), subject=self._view.tool(self._name),
                kept=self._view.kept_laws,
            )  # fmt: skip
        return self._check


def kept_law(report: LawReport) -> tuple[KeptLaw, str]:
    """The record of a law that was not refuted, and the text of its certificate: empty where it has none."""
    assert report.status != "refuted", "a law that is refuted is not kept"
    assert report.status != "error", "what is no law is not kept"
    certificate = report.certificate
    law = KeptLaw(
        law=report.law, status=report.status, kleis=report.kleis, reason=report.reason, labels=report.labels,
        cases=report.cases, seed=report.seed, engine=report.engine, conditions=report.conditions,
        lemmas=report.lemmas, tools=report.tools,
        certificate=certificate_hash(certificate) if certificate else "",
        format=CERTIFICATE_FORMAT if certificate else 1,
    )  # fmt: skip
    return law, certificate


def _check_dropped(dropped: Sequence[str], old: dict[str, KeptLaw]) -> None:
    for number, text in enumerate(dropped):
        if text not in old:
            raise RegistryError(
                "invalid_argument", "`drop_laws` names a law that the current version does not have",
                place=f"drop_laws/{number}", found=text[:200],
                expected="a law as `list` and `show` print it" if old else "nothing: it has no laws",
                hint=f"Did you mean {close!r}?" if (close := nearest(text, list(old))) else None,
            )  # fmt: skip


def is_stale(law: KeptLaw, tools: Tools, own: ToolRecord | None = None) -> bool:
    """Whether a tool that a law rests on has other code now, or is gone. `own` is the version that the law is of."""
    return any(
        has_changed(label, hash_, tools)
        for label, hash_ in law.tools.items()
        if own is None or label != own.reference or hash_ != own.hash
    )


def _is_late(law: KeptLaw) -> bool:
    """Whether a time limit left a law open."""
    return any(label.startswith(LATE) for label in law.labels)


def current_laws(record: ToolRecord, tools: SnapshotTools) -> list[Json]:
    """The laws of a version for `list` and `show`: `stale` where a tool that one rests on has changed since."""
    listed: list[Json] = []
    for law in tools.laws(record):
        shown: dict[str, Json] = {"law": law.law, "status": law.status}
        if law.status == "tested":
            shown |= {"cases": law.cases, "seed": law.seed}
        if law.status == "claimed":
            shown["reason"] = law.reason
        if law.labels:
            shown["labels"] = list(law.labels)
        if law.conditions:
            shown["conditions"] = list(law.conditions)
        if is_stale(law, tools, record):
            shown["stale"] = True
        listed.append(shown)
    return listed


def recheck(
    record: ToolRecord,
    tools: SnapshotTools | LibraryTools,
    certificate: Callable[[str], str | None],
    prover: LawProver,
    progress: Callable[[float, float | None, str], None] = lambda done, total, law: None,
) -> list[dict[str, Json]]:
    """Check the laws of a version from nothing: proved ones by their certificates, tested ones at their assignments. A law
    that a time limit left open is asked again. `progress` is told of each law before and after it is checked.

    The law is parsed and the tools are translated again, and the certificate must be about these; then everything in it
    is parsed, encoded and solved again.
    """
    from registry.laws.check_laws import LawCheck

    tool = tools.tool(record.reference)
    if tool is None:
        return []
    view = Overlay(tools, tool.name, tool.version, tool.term)
    check = LawCheck(view, tools.names, prover, subject=view.new, kept=view.kept_laws)
    found: list[dict[str, Json]] = []
    laws = tools.laws(record)
    for place, law in enumerate(laws):
        progress(place, len(laws), law.law)
        found.append(_rechecked(law, view, check, certificate))
        progress(place + 1, len(laws), law.law)
    return found


def _rechecked(
    law: KeptLaw, view: Tools, check: LawCheck, certificate: Callable[[str], str | None]
) -> dict[str, Json]:
    """What the check of one law says."""
    if law.status == "proved" or law.certificate:
        findings = _by_certificate(law, view, check, certificate)
        ok = all(each["ok"] for each in findings)
        return {"law": law.law, "status": law.status, "ok": ok, "findings": findings}
    if _is_late(law):
        again = check.report(law.law)
    else:
        again = check.tried_again(law.law, cases=law.cases, seed=law.seed or 0)
    ok = again.status in ("proved", "tested", "untested")
    shown: dict[str, Json] = {"law": law.law, "status": law.status, "ok": ok, "cases": again.cases}
    if again.status == "proved":
        shown["now"] = "proved"
    return shown if ok else {**shown, "reason": again.reason, "counterexample": again.counterexample}


def _by_certificate(
    law: KeptLaw, view: Tools, check: LawCheck, certificate: Callable[[str], str | None]
) -> list[Json]:
    """The findings of the check of one certificate."""
    from registry.laws.certified_laws import recheck_law

    text = certificate(law.certificate)
    if text is None:
        return [{"what": "certificate", "ok": False, "detail": "it is not there"}]
    if certificate_hash(text) != law.certificate:
        return [{"what": "certificate", "ok": False, "detail": "it is not the text that its hash says"}]
    where_defined = WHERE_DEFINED in law.labels
    findings = recheck_law(check, law.law, law.lemmas, text, where_defined=where_defined)
    changed = [label for label, hash_ in law.tools.items() if has_changed(label, hash_, view)]
    if changed and findings[0]["what"] != "certificate":
        detail = f"it was proved when {', '.join(changed)} had other code"
        findings = [{"what": "tools", "ok": False, "detail": detail}, *findings[1:]]
    return findings

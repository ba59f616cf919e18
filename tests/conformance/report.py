"""What is not scored and why, and the page docs/conformance.md.

The page holds no dates, times or durations: a second run writes the same page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import msgspec

from tests.conformance import installation
from tests.conformance.clients import FRAMEWORKS, TYPESCRIPT, ClientRun, Lint
from tests.conformance.suite import Outcome

__all__ = ["NOT_RUN", "PAGE", "REASONS", "Results", "recorded", "unexplained", "write"]

PAGE = installation.HERE.parents[1] / "docs" / "conformance.md"

_TASKS = (
    "The extension `io.modelcontextprotocol/tasks` is optional. The server has not declared it: the SDK that it is built on "
    "does not implement it. Work that takes long reports progress and answers with what it has and how to go on."
)
_PENDING = "Pending: the suite's own reference server does not pass it, so it counts for nobody."

REASONS: Mapping[str, str] = {
    "server-session-lifecycle": "Added to the suite after the release that this revision's requirements are frozen at.",
    "json-schema-2020-12": _PENDING,
    "http-header-validation": _PENDING,
    "http-custom-header-server-validation": _PENDING,
    "server-sse-polling": _PENDING
    + " It has the stream of a call closed and resumed by `Last-Event-ID`. This server keeps no events to resume from and says "
    "so in words (400); there is no fixture that pretends otherwise.",
    **{
        f"tasks-{name}": _TASKS
        for name in (
            *("lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input"),
            *("request-headers", "dispatch-and-envelope", "status-notifications", "required-task-error"),
            "mrtr-composition",
        )
    },
}
"""Why each scenario that the suite does not score does not count, and what becomes of it here."""

NOT_RUN: Mapping[str, str] = {
    "`sep-2640-skills-*` (3 scenarios)": "The extension for skills: the requirements of neither revision name it, and the "
    "server has no skills.",
    "client scenarios (48)": "They test clients. The product is a server; the client of `pif demo` is the SDK's.",
    "authorization-server scenarios (2)": "They test authorization servers. This server takes a fixed secret "
    "(docs/reference/serving.md §3.1) and issues no tokens.",
}
"""What the suite has besides, and why it is not run."""


class Results(msgspec.Struct, frozen=True):
    """All that a run found."""

    suite: Mapping[str, Sequence[Outcome]]
    lints: Sequence[Lint]
    typescript: Sequence[ClientRun]
    frameworks: Sequence[ClientRun]


def unexplained(outcomes: Sequence[Outcome]) -> list[str]:
    """The scenarios that are not scored without a reason in `REASONS`."""
    return [each.scenario for each in outcomes if each.unscored and each.scenario not in REASONS]


def write(results: Results) -> None:
    """Write the page."""
    PAGE.write_text(_page(results))


def recorded(generation: str) -> dict[str, str]:
    """What the page says of each scenario of a generation: scenario → outcome."""
    section = (
        PAGE.read_text().partition(f"### {generation}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    )
    return {
        found["scenario"]: found["word"]
        for found in re.finditer(r"^\| `(?P<scenario>[^`]+)` \| (?P<word>[^|]+) \|", section, re.MULTILINE)
    }


def _versions() -> dict[str, str]:
    node: dict[str, str] = json.loads((installation.HERE / "package.json").read_text())["dependencies"]
    python = dict(
        re.findall(
            r"^([\w.-]+)(?:\[\w+\])?==(\S+)$", (installation.HERE / "requirements.txt").read_text(), re.M
        )
    )
    return {**node, **python}


def _page(results: Results) -> str:
    versions = _versions()
    parts = [
        f"""\
# Conformance

What others test servers with, run against this one by `make conformance`, which writes this page. It installs everything in `.build/conformance`, in the versions that `tests/conformance/package.json` and `tests/conformance/requirements.txt` pin. A part of it is in `make test`, and skips with the reason where Node or the packages cannot be had.

The server under test is `pif serve --http 127.0.0.1:0 --groups pif,theory,conformance` on an empty home. The group `conformance` has the tools, resources and prompts that the suite calls by name, and nothing else: `registry/server/groups/conformance/`. They go through the same server code as the tools of the product ([serving](reference/serving.md) §4.5).

## The conformance suite

`@modelcontextprotocol/conformance` {versions["@modelcontextprotocol/conformance"]}, the requirements of both revisions. A scenario has several checks; it passes if none of them fails.
""",
        _totals(results.suite),
    ]
    for generation, outcomes in results.suite.items():
        parts.append(f"### {generation}\n\n{_scenarios(outcomes)}")
    rows = [(name, reason) for name, reason in NOT_RUN.items()]
    parts.append(f"### Not run\n\n{_table(('What', 'Why'), rows)}")
    complaints = [
        (f"`{each.scenario}` ({generation})", " ".join(one.split())[:300])
        for generation, outcomes in results.suite.items()
        for each in outcomes
        for one in each.complaints
        if not each.scenario.startswith("tasks-")
    ]
    if complaints:
        parts.append(f"### What failed, and warnings\n\n{_table(('Scenario', 'The suite says'), complaints)}")
    parts += [
        f"""\
## The Inspector

`@modelcontextprotocol/inspector` {versions["@modelcontextprotocol/inspector"]} in `--cli` mode, `--method tools/list --strict`, over all tools of all groups with `--more`.

{_lints(results.lints)}""",
        f"""\
## Clients

Each client lists the tools, evolves one, runs it, makes a mistake and reads the error, and has a claim proved, over both transports. The TypeScript clients also read a resource, get a prompt and complete a name. The frameworks call tools as their agents do, with what a model would have said; no model is asked.

{_clients((*results.typescript, *results.frameworks), versions)}""",
    ]
    return "\n".join(parts)


def _totals(suite: Mapping[str, Sequence[Outcome]]) -> str:
    rows = []
    for generation, outcomes in suite.items():
        scored = [each for each in outcomes if not each.unscored]
        passed = sum(each.word == "passed" for each in scored)
        rows.append(
            (
                generation,
                f"{passed} of {len(scored)}",
                f"{sum(each.passed for each in scored)} of {sum(each.passed + each.failed for each in scored)}",
                str(sum(each.warnings for each in scored)),
                str(len(outcomes) - len(scored)),
            )
        )
    return _table(("Revision", "Scored scenarios passed", "Checks", "Warnings", "Not scored"), rows)


def _scenarios(outcomes: Sequence[Outcome]) -> str:
    rows = [
        (
            f"`{each.scenario}`",
            each.word,
            f"{each.passed} of {each.passed + each.failed}",
            f"no: {REASONS.get(each.scenario, each.unscored)}" if each.unscored else "yes",
        )
        for each in outcomes
    ]
    return _table(("Scenario", "Outcome", "Checks passed", "Scored"), rows)


def _lints(lints: Sequence[Lint]) -> str:
    rows = [
        (each.generation, each.transport, str(each.tools), "; ".join(each.findings) or "none")
        for each in lints
    ]
    return _table(("Revision", "Transport", "Tools", "Findings"), rows)


def _clients(runs: Sequence[ClientRun], versions: Mapping[str, str]) -> str:
    rows = []
    for each in runs:
        package = TYPESCRIPT[each.client][0] if each.client in TYPESCRIPT else FRAMEWORKS[each.client]
        missed = [name for name, holds in each.outcomes.items() if not holds]
        done = f"{sum(each.outcomes.values())} of {len(each.outcomes)}" if each.outcomes else "none"
        came = each.failure.replace("\n", " ")[-200:] or (
            f"not: {', '.join(missed)}" if missed else "all done"
        )
        rows.append((f"`{package}` {versions[package]}", each.transport, done, came))
    return _table(("Client", "Transport", "Tasks", "Outcome"), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "\n".join(f"| {' | '.join(one.replace('|', chr(92) + '|') for one in each)} |" for each in lines)
        + "\n"
    )

"""`make bench`: every measurement, a table on the terminal and in docs/benchmarks.md.

python -m benchmarks [--only evaluator,memory] [--peer "COMMAND OF ANOTHER MCP-PIF SERVER"]
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import msgspec

from benchmarks import (
    compiled,
    decoding,
    evaluator,
    evaluator_growth,
    exploring,
    gateway,
    growth,
    http_cost,
    kleis_language,
    laws,
    looks,
    many_clients,
    memory,
    numerics,
    peer,
    plain_data,
    plots,
    policy,
    primitive_costs,
    proving,
    registry_size,
    server_load,
    sharing,
    start,
    stdio_latency,
    stores,
    theories,
    view_opening,
    written,
)
from benchmarks.timing import SPREAD, take_unsettled

REPORT = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


class Section(msgspec.Struct, frozen=True):
    """A table: what it measures, in which unit, and the most that the row it is judged by may show."""

    name: str
    title: str
    unit: str
    measure: Callable[[], dict[str, float]]
    limits: dict[str, float]


SECTIONS = (
    Section("evaluator", "Reference evaluator against hand-written Python", "times",
            evaluator.measure, {"geometric mean": evaluator.LIMIT}),
    Section("compiled", "Compiled tools against hand-written Python and the reference evaluator", "times",
            compiled.measure, compiled.LIMITS),
    Section("written", "Programs as people write them, compiled, against CPython running the same functions", "times",
            written.measure, written.LIMITS),
    Section("costs", "What compiled runs cost beside their steps", "times or calls, as named",
            compiled.measure_costs, compiled.COST_LIMITS),
    Section("sizes", "Compiled tools as the work grows", "µs, or as named",
            evaluator_growth.measure, evaluator_growth.LIMITS),
    Section("first", "First runs, compilation counted, against the better of the two evaluators (where that takes 1 ms)",
            "times", evaluator_growth.measure_first_runs, evaluator_growth.FIRST_LIMITS),
    Section("data", "Plain data in and out of runs, against `msgspec.json`", "times, or µs as named",
            plain_data.measure, plain_data.LIMITS),
    Section("stdio", "Round trip of a trivial `run` over stdio against a bare msgspec loop (medians)", "times",
            stdio_latency.measure, stdio_latency.LIMITS),
    Section("start", "Processor time of commands, and of a server to its first answer (medians)", "times or s, as named",
            start.measure, start.LIMITS),
    Section("looks", "Looking whether an answer needs a warning (medians)", "times or µs, as named",
            looks.measure, looks.LIMITS),
    Section("http", "Processor time of a trivial `run` over HTTP and stdio, of a start, and idle memory",
            "times, ms, s or MB, as named", http_cost.measure, http_cost.LIMITS),
    Section("load", "A server under load", "ms", server_load.measure, server_load.LIMITS),
    Section("clients", "A server over HTTP under the load of many clients", "ms or times, as named",
            many_clients.measure, many_clients.LIMITS),
    Section("registry", "Run time by size of the registry", "times", registry_size.measure,
            {f"run with {registry_size.TOOLS} tools / with 1": registry_size.LIMIT}),
    Section("sharing", "Registries that share: ten new tools, in parts of what all cost before (processor time)", "parts",
            sharing.measure, sharing.LIMITS),
    Section("stores", "A store in PostgreSQL against one in a home (medians)", "times",
            stores.measure, stores.LIMITS),
    Section("decoding", "A term of 10,000 nodes against `json.loads` of its text", "times",
            decoding.measure, {"decode": decoding.LIMIT}),
    Section("kleis", "The Kleis front end", "ms or times, as named", kleis_language.measure, kleis_language.LIMITS),
    Section("numerics", "Numerical names of Kleis against numpy by hand, from lists to lists",
            "times beyond the fixed cost, or µs", numerics.measure, numerics.LIMITS),
    Section("plots", "Pictures of Kleis against matplotlib by hand, from numbers to SVG",
            "times beyond the fixed cost, or ms", plots.measure, plots.LIMITS),
    Section("policy", "A gate for actions", "ms, or as named", policy.measure, policy.LIMITS),
    Section("gateway", "A call through the gateway against a relay that copies lines", "ms",
            gateway.measure, gateway.LIMITS),
    Section("proving", "Proving, beside Z3 by hand", "ms, s or times, as named", proving.measure, proving.LIMITS),
    Section("exploring", "Conjectures about groups, and questions of tools", "s, ms or as named",
            exploring.measure, exploring.LIMITS),
    Section("laws", "Laws of tools", "ms, or as named", laws.measure, laws.LIMITS),
    Section("theories", "Theory sessions: questions and submissions", "ms or times, as named", theories.measure,
            theories.LIMITS),
    Section("primitives", "A unit of fuel in the worst case: each operation on the operands that make it work hardest",
            "units of `add`, or bytes", primitive_costs.measure, primitive_costs.LIMITS),
    Section("growth", "How work and memory grow with the input: the exponent over three sizes; memory where text is read",
            "exponent, or bytes", growth.measure, growth.LIMITS),
    Section("memory", "Bytes that a unit of fuel keeps alive", "bytes", memory.measure, memory.LIMITS),
    Section("views", "Opening a registry of 1,000 tools in `pif ui` against the server's bare answer with all of them", "times, but for the last",
            view_opening.measure, view_opening.LIMITS),
)  # fmt: skip


def _table(section: Section, rows: dict[str, float], unsettled: list[float]) -> str:
    lines = [f"## {section.title}", "", f"| | {section.unit} | at most |", "|---|---:|---:|"]
    for name, figure in rows.items():
        limit = section.limits.get(name)
        lines.append(f"| {name} | {figure:.2f} | {'' if limit is None else f'{limit:g}'} |")
    if unsettled:
        lines += [
            "",
            f"Of the measurements {len(unsettled)} did not settle: their parts lay up to {max(unsettled):.0%} apart, more than {SPREAD:.0%}.",
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, write the report; 1 where a figure is over its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", default="", help="names of sections, with commas: " + ", ".join(s.name for s in SECTIONS)
    )
    parser.add_argument(
        "--peer", default="", help="the command of another MCP-PIF server, measured side by side"
    )
    options = parser.parse_args()
    wanted = set(options.only.split(",")) if options.only else {section.name for section in SECTIONS}
    sections = [section for section in SECTIONS if section.name in wanted]
    if options.peer:
        sections.append(Section("peer", "Net and gross time of a run against the peer's", "times",
                                lambda: peer.measure(options.peer), peer.LIMITS))  # fmt: skip
    tables, over = [], []
    for section in sections:
        sys.stderr.write(f"measuring: {section.title}\n")
        rows = section.measure()
        tables.append(_table(section, rows, take_unsettled()))
        print(tables[-1])
        over += [f"{section.name}: {name} {rows[name]:.2f} > {limit:g}"
                 for name, limit in section.limits.items() if rows.get(name, 0.0) > limit]  # fmt: skip
    if not options.only:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(_head() + "\n".join(tables))
    for line in over:
        sys.stderr.write(f"over its limit: {line}\n")
    return 1 if over else 0


def _head() -> str:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("mcp", "msgspec"))
    return (
        "# Benchmarks\n\nWritten by `make bench`. Ratios are taken in one run and hold where times do not; a column "
        f'"at most" gives the limit that a row is held to.\n\nPython {platform.python_version()}, {versions}, '
        f"{platform.machine()}.\n\n"
    )


if __name__ == "__main__":
    sys.exit(main())

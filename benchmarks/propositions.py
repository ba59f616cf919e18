"""The proving benchmark: every row of a file of propositions through the whole pipeline.

    python benchmarks/propositions.py FILE [--cvc5] [--json] [--rows] [--guards F] [--certificates] [--against OUTPUT] [--kept FILE]

FILE has one JSON object a line: `kleis` (the program, which may import), `using`, `proposition` (null: has it a model?), `expect`.  The
output counts the rows solved, and those that took less than two seconds of processor time (`quick`); `wrong` counts definite verdicts other than the expected one, and must be 0.

`--certificates` also makes the certificate of each verdict, which the checker accepts before it is given out, and keeps its digest.
`--against OUTPUT` names the rows that differ from those of an earlier run (`--json --rows > OUTPUT`) in verdict, engine, core or
certificate: none may, whatever the load of the machine.  `--kept FILE` adds each row to FILE as soon as it is answered, and asks only
what FILE does not have: a long run that is interrupted goes on where it was.

`benchmarks/more_propositions.jsonl` covers areas that the project's data lacks: ℕ, ℚ, ℂ, sets,
parametric data, guards, functions, `implements`, `extends`, definedness.  Some are beyond the engines; none may be wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from kleis.prover.certificates.build import Question, build_from, build_part_from
from kleis.prover.checker.format import Certificate, CertificateError
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader

_QUICK = 2.0
"""Seconds of processor time, over all processes, the worker's start included."""

_REPRODUCED = ("verdict", "engine", "core", "certificate")
"""What two runs must agree on."""

_DEFINITE = ("verified", "disproved", "consistent", "inconsistent")


def answer_of(
    loader: Loader, row: dict[str, Any], *, cvc5: bool, guards: float, certificates: bool
) -> tuple[Verdict, str]:
    """The verdict on one row, and its certificate's digest where one is asked for."""
    loading = loader.load_text(row["kleis"], file="<row>", directory=Path.cwd())
    if loading.errors:
        return Verdict(status="error", message=str(loading.errors[0])), ""
    with Prover(loading.theory, cvc5=cvc5, guards=guards) as prover:
        if row["proposition"] is None:
            part, verdict = _consistency_of(prover, row)
            certified = certificates and verdict.status in _DEFINITE
            return verdict, _digest_of(
                lambda: build_part_from(prover.broker, prover, part, verdict)
            ) if certified else ""
        using = parse_type(row["using"]) if row.get("using") else None
        verdict = prover.verify(parse_expression(row["proposition"]), using=using)
        certified = certificates and verdict.status in _DEFINITE
        question = Question(row["proposition"], row.get("using") or "")
        return verdict, _digest_of(
            lambda: build_from(prover.broker, prover, question, verdict)
        ) if certified else ""


def _consistency_of(prover: Prover, row: dict[str, Any]) -> tuple[str, Verdict]:
    structure = prover.theory.structures.get(row["using"]) if row.get("using") else None
    if structure is not None and structure.parameters:
        (found,) = prover.consistent(structure.name)
        return found
    verdicts = list(prover.consistent())
    clash = [each for each in verdicts if each[1].status == "inconsistent"]
    undecided = [each for each in verdicts if each[1].status != "consistent"]
    return (clash or undecided or verdicts)[0]


def _digest_of(made: Callable[[], Certificate]) -> str:
    """The SHA-256 of the canonical bytes of a certificate; where there is none, the reason."""
    try:
        return hashlib.sha256(to_json(made())).hexdigest()
    except CertificateError as error:
        return f"none: {error}"


def results(
    rows: list[dict[str, Any]],
    *,
    cvc5: bool,
    guards: float,
    certificates: bool,
    kept: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Name, verdict, engine, core, certificate, seconds and processor seconds of each row; what `kept` has is not asked again."""
    loader = Loader(search_from(os.environ))
    known = _kept_in(kept) if kept is not None else {}
    for number, row in enumerate(rows):
        name = row.get("name") or f"row {number}"
        if name in known:
            yield known[name]
            continue
        begun, spent = time.perf_counter(), _processor_seconds()
        verdict, certificate = answer_of(loader, row, cvc5=cvc5, guards=guards, certificates=certificates)
        found = {
            "name": name,
            "area": row.get("area", ""),
            "verdict": verdict.status,
            "expect": row["expect"],
            "engine": verdict.engine,
            "core": list(verdict.core),
            "certificate": certificate,
            "reason": verdict.reason or "",
            "seconds": round(time.perf_counter() - begun, 3),
            "processor": round(_processor_seconds() - spent, 3),
        }
        if kept is not None:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found, ensure_ascii=False) + "\n")
        yield found


def _kept_in(file: Path) -> dict[str, dict[str, Any]]:
    """The rows that an earlier run has kept, by name; a last line that was cut short is removed."""
    if not file.exists():
        return {}
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        file.write_bytes(whole)
    rows = [json.loads(line) for line in whole.decode().split("\n") if line]
    return {row["name"]: row for row in rows}


def _processor_seconds() -> float:
    """What this process and those of its children that have ended have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The counts of a run."""
    definite = [each for each in found if each["verdict"] in _DEFINITE]
    return {
        "total": len(found),
        "solved": sum(each["verdict"] == each["expect"] for each in definite),
        "wrong": sum(each["verdict"] != each["expect"] for each in definite),
        "unknown": sum(each["verdict"] == "unknown" for each in found),
        "errors": sum(each["verdict"] == "error" for each in found),
        "quick": sum(each["processor"] < _QUICK for each in found),
        "seconds": round(sum(each["seconds"] for each in found), 2),
        "processor": round(sum(each["processor"] for each in found), 2),
    }


def differences(earlier: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[str]:
    """The rows that two runs of one file answered differently."""
    return [
        f"{now['name']}: {part} {was[part]!r}, now {now[part]!r}"
        for was, now in zip(earlier, found, strict=True)
        for part in _REPRODUCED
        if was[part] != now[part]
    ]


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--cvc5", is_flag=True, help="Let cvc5 join, if it is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rows", is_flag=True, help="Also name, verdict, engine and seconds of each row.")
@click.option("--guards", default=1.0, metavar="F", help="Multiply the limits that only guard.")
@click.option("--certificates", is_flag=True, help="Also make the certificate of each verdict.")
@click.option("--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="OUTPUT")
@click.option("--kept", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
def main(
    file: Path,
    cvc5: bool,
    as_json: bool,
    rows: bool,
    guards: float,
    certificates: bool,
    against: Path | None,
    kept: Path | None,
) -> None:
    """Run the propositions of FILE."""
    problems = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    found: list[dict[str, Any]] = []
    answered = results(problems, cvc5=cvc5, guards=guards, certificates=certificates, kept=kept)
    for each in answered:
        found.append(each)
        if rows and not as_json:
            mark = "" if each["verdict"] == each["expect"] else f"  (expected {each['expect']})"
            click.echo(
                f"{each['processor']:8.2f} s  {each['verdict']:12} {each['engine']:16} {each['name']}{mark}"
            )
    answer = summary(found)
    if against is not None:
        answer["differs"] = differences(json.loads(against.read_text(encoding="utf-8"))["rows"], found)
    if as_json:
        click.echo(json.dumps({**answer, **({"rows": found} if rows else {})}, ensure_ascii=False))
    else:
        click.echo(json.dumps(answer))
    sys.exit(1 if answer["wrong"] or answer.get("differs") else 0)


if __name__ == "__main__":
    main()

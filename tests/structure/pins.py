"""What must stay the same whatever moves inside: digests of goals, certificates, an export, a session, help, tool lists.

Each function here makes one kind of pin anew; `tests/structure/test_pins.py` compares it with what is recorded in
`tests/structure/pins/`.  A change that is meant to change a format or a text records it:

    python -m tests.structure.pins [goals certificates export session help tools]
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import Question, build, build_part
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import solver_versions
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory
from tests.kleis.prover.certificates.test_certificate import CASES, theory
from tests.support.servers.pif_server import pif_server

__all__ = ["PINS", "RECORDED", "recorded"]

RECORDED = Path(__file__).with_name("pins")
ROOT = Path(__file__).resolve().parent.parent.parent

TOOLS = {
    "double": '{"mul": [{"var": "x"}, 2]}',
    "square": "def square(x):\n    return x * x\n",
    "fourth": '{"lam": "x", "body": {"app": [{"eval": {"code_of": "square"}}, {"app": [{"eval": {"code_of": "square"}}, {"var": "x"}]}]}}',
}


def goals() -> dict[str, Any]:
    """The digests of the goals of 32 propositions, one in thirteen of the benchmark's first, and of the certificates'."""
    rows = [
        json.loads(line) for line in (ROOT / "benchmarks/more_propositions.jsonl").read_text().splitlines()
    ]
    found = {}
    for row in rows[: 32 * 13 : 13]:
        elaborator = Elaborator(Theory().include(parse_program(row["kleis"])))
        using = parse_type(row["using"]) if row.get("using") else None
        meaning = elaborator.proposition(parse_expression(row["proposition"]), using=using)
        found[row["name"]] = digest_of(meaning)
    elaborator = Elaborator(theory())
    for case, (claim, _, _) in CASES.items():
        found[f"certificate: {case}"] = digest_of(elaborator.proposition(parse_expression(claim)))
    return found


def certificates() -> dict[str, Any]:
    """A certificate of every kind, as it is written."""
    found: dict[str, Any] = {}
    with Broker() as broker:
        for case, (claim, order, _) in CASES.items():
            prover = Prover(theory(), broker=broker, order=order)
            verdict = prover.verify(parse_expression(claim))
            made = build(broker, theory(), Question(claim), verdict, order=order)
            found[case] = json.loads(to_json(made))
        prover = Prover(theory(), broker=broker)
        part, verdict = next(
            (name, each) for name, each in prover.consistent() if each.status == "consistent"
        )
        found["consistent"] = json.loads(to_json(build_part(broker, theory(), part, verdict)))
    return {"solvers": dict(solver_versions()), "certificates": found}


def export() -> dict[str, Any]:
    """The files of an export of three tools with versions, examples and a law, without times."""
    from registry.cli.pif import main

    with tempfile.TemporaryDirectory() as folder, _environment(PIF_HOME=f"{folder}/home"):
        for name, code in TOOLS.items():
            python = ["--language", "python"] if code.startswith("def") else []
            _run(main, ["evolve", code, "--name", name, "--description", f"The tool {name}", *python])
        _run(main, ["evolve", '{"mul": [2, {"var": "x"}]}', "--name", "double", "--description", "Doubles",
                    "--example", "4", "8", "--law", "∀(x : ℤ). double(x) = x + x"])  # fmt: skip
        _run(main, ["export", f"{folder}/out"])
        files = sorted(each for each in Path(folder, "out").rglob("*") if each.is_file())
        return {str(each.relative_to(f"{folder}/out")): _without_times(each.read_text()) for each in files}


def session() -> dict[str, Any]:
    """The file of a theory session after submissions, and what the calls answered."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("submit_structure", {"kleis": "structure Magma(M) { operation (•) : M × M → M }"}),
        ("submit_define", {"kleis": "define twice(n : ℤ) : ℤ = n + n"}),
        ("submit_data", {"kleis": "data Colour = Red | Green"}),
        ("evaluate", {"expression": "twice(4)"}),
        ("evaluate", {"expression": "∀(n : ℤ). twice(n) = 2 * n"}),
        ("list_session", {}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        with pif_server(Path(folder), groups="theory") as client:
            answers = [[tool, client.ask(tool, **arguments)] for tool, arguments in calls]
        assert not any("error" in answer for _, answer in answers), answers
        files = {
            str(each.relative_to(folder)): each.read_text()
            for each in sorted(Path(folder).rglob("session.kleis"))
        }
        text = json.dumps({"answers": answers, "files": files}, ensure_ascii=False).replace(folder, "HOME")
    found: dict[str, Any] = json.loads(_without_times(text))
    return found


def help_texts() -> dict[str, Any]:
    """What every command says to `--help`, by its words."""
    from registry.cli.kleis.commands import kleis
    from registry.cli.pif.commands import pif

    found: dict[str, Any] = {}
    todo: list[tuple[str, click.Command, click.Context | None]] = [("pif", pif, None), ("kleis", kleis, None)]
    while todo:
        words, command, parent = todo.pop()
        name = words.rpartition(" ")[2]
        context = command.make_context(name, [], parent, resilient_parsing=True, terminal_width=100)
        found[words] = command.get_help(context)
        if isinstance(command, click.Group):
            for each in command.list_commands(context):
                inner = command.get_command(context, each)
                assert inner is not None
                todo.append((f"{words} {each}", inner, context))
    return {"click": metadata.version("click"), "texts": dict(sorted(found.items()))}


def tools() -> dict[str, Any]:
    """What a server with every group and every second list says of its tools, resources and prompts."""
    policy = next((ROOT / "stdlib/kleis/policies").glob("*.kleis"))
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {"groups": "all", "more": True, "policy": policy}
        with pif_server(Path(folder), **options) as client:
            found: dict[str, Any] = {}
            for number, kind in enumerate(("tools", "resources/templates", "prompts")):
                client.send({"jsonrpc": "2.0", "id": number, "method": f"{kind}/list"})
                found[kind] = client.answer_to(number)["result"]
    return found


def inlined(schema: Any, definitions: dict[str, Any] | None = None) -> Any:
    """A JSON Schema with its local references replaced by what they name, so that layouts can be compared."""
    if isinstance(schema, list):
        return [inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = {**(definitions or {}), **schema.get("$defs", {})}
    reference = schema.get("$ref", "")
    if reference.startswith("#/$defs/"):
        named = definitions[reference.removeprefix("#/$defs/")]
        others = {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}
        return inlined({**named, **others}, definitions)
    return {key: inlined(value, definitions) for key, value in schema.items() if key != "$defs"}


PINS: dict[str, Callable[[], dict[str, Any]]] = {
    "goals": goals,
    "certificates": certificates,
    "export": export,
    "session": session,
    "help": help_texts,
    "tools": tools,
}


def recorded(name: str) -> Any:
    """What is recorded of a kind."""
    return json.loads((RECORDED / f"{name}.json").read_text())


def _without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?(\+00:00)?", "TIME", text)


@contextlib.contextmanager
def _environment(**changes: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(main: Callable[[list[str]], int], words: list[str]) -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = main(words)
    assert status == 0, (words, output.getvalue())


def _write(names: list[str]) -> None:
    RECORDED.mkdir(exist_ok=True)
    for name in names or PINS:
        text = json.dumps(PINS[name](), ensure_ascii=False, indent=1, sort_keys=True)
        (RECORDED / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    _write(sys.argv[1:])

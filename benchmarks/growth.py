"""How work grows with its input: each row at three sizes, each four times the one before, with the exponent that fits.

An exponent of 1 is linear work, of 0 work that does not depend on the size. It is fitted to the least times of alternating
rounds, in the thread's own processor time. Memory is the most that is allocated while the largest input is worked on,
for each byte of that input.

    python -m benchmarks --only growth
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.registry_size import filled_workspace
from benchmarks.timing import alternating
from kleis.budget import STANDARD_BUDGET
from kleis.elaborate.elaborator import Elaborator
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.policy.policy import load_policy
from kleis.prover.problem_files import smtlib
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
from kleis.syntax.printer.formatter import format_source
from kleis.theory.theory import Theory
from pif.analysis.cost.bounds import cost_json
from pif.analysis.types.tool_types import typing_of
from pif.language.budget import Budget, reserve_stack
from pif.language.decode import decode_term, decode_text
from pif.language.terms import Json, identity
from pif.language.value_text import print_value
from pif.reference.run_input import given_data
from pif.run.evaluate import Request, run
from pif.run.read_input import read_data
from registry.gateway.log.records import Asked, Outcome
from registry.gateway.log.verifying import verify
from registry.gateway.log.writing import ChainedLog
from tests.support.terms.tool_dictionary import Dictionary

__all__ = ["LIMITS", "exponent", "measure"]

LINEAR, CONSTANT = 1.1, 0.1
"""The most that an exponent may be."""
STEP = 4
"""Each size is so many times the one before."""


class Row(NamedTuple):
    """Work that grows: what it is, its smallest size, the limit of its exponent, and what makes it ready.

    `ready(size, stack)` gives the work and the bytes of its input, 0 where that is no text; what has to be closed goes to
    the stack.
    """

    name: str
    smallest: int
    limit: float
    ready: Callable[[int, ExitStack], tuple[Callable[[], object], int]]


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log size, by least squares."""
    return statistics.linear_regression(
        [math.log(each) for each in sizes], [math.log(each) for each in times]
    ).slope


def measure() -> dict[str, float]:
    """For each row its exponent; for those that read text, the most bytes for a byte of it."""
    reserve_stack(20_000)
    found: dict[str, float] = {}
    for row in _ROWS:
        sizes = [row.smallest * STEP**power for power in range(3)]
        with ExitStack() as stack:
            works = {size: row.ready(size, stack) for size in sizes}
            times = alternating(
                {str(size): work for size, (work, _) in works.items()},
                seconds=1.5, clock=time.thread_time, middle=min,
            )  # fmt: skip
            found[f"{row.name}, {_span(sizes)}"] = exponent(sizes, [*times.values()])
            work, size = works[sizes[-1]]
            if size:
                found[f"{row.name}: bytes at most, for a byte of input"] = _peak(work) / size
    return found


def _span(sizes: Sequence[int]) -> str:
    return f"{sizes[0]:,} to {sizes[-1]:,}"


def _peak(work: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        kept = work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        del kept


# ── PIF ──────────────────────────────────────────────────────────────────────────────────────────────────────

_X: Json = {"var": "x"}
_TOOLS = Dictionary()


def _sums(size: int) -> Json:
    """A list of sums, five nodes each."""
    return {"lam": "x", "body": [{"add": [_X, {"mul": [_X, number]}]} for number in range(size // 5)]}


def _decode(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    text = json.dumps(_sums(size))
    return partial(decode_text, text), len(text)


def _hash(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    term = decode_term(_sums(size))
    return partial(identity, term), 0


def _types(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    term = decode_term(_sums(size))
    return lambda: typing_of(term, _TOOLS), 0


def _costs(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    choices = (
        {"if": {"cond": {"eq": [_X, number]}, "then": number, "else": 0}} for number in range(size // 6)
    )
    term = decode_term({"lam": "x", "body": [*choices]})
    typing = typing_of(term, _TOOLS)
    return lambda: cost_json(term, _TOOLS, typing), 0


def _read(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    text = json.dumps([{"n": number, "even": number % 2 == 0} for number in range(size)])
    return lambda: given_data(read_data(msgspec.json.decode(text)), 0), len(text)


def _print(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    value = read_data([{"n": number, "even": number % 2 == 0} for number in range(size)])
    return lambda: print_value(value, 1 << 30), 0


def _run(code: Json, size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    tools = Dictionary(it=code)
    request, budget = Request(tool="it", input=size), Budget(fuel=100_000_000)

    def work() -> None:
        answer = run(request, tools, budget)
        if "error" in answer:
            raise ValueError(answer)

    return work, 0


def _lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


_ACCUMULATED = {"fst": {"var": "p"}}
_ITEM = {"snd": {"var": "p"}}
_SUM = _lam("x", {"fold": [_lam("p", {"add": [_ACCUMULATED, _ITEM]}), 0, {"range": [0, _X]}]})
_SQUARES = _lam(
    "x", {"fold": [_lam("p", {"cons": [{"mul": [_ITEM, _ITEM]}, _ACCUMULATED]}), [], {"range": [0, _X]}]}
)
_GROUPS = _lam(
    "x",
    {
        "fold": [
            _lam("p", {"with": [_ACCUMULATED, {"show": {"mod": [_ITEM, 10]}}, _ITEM]}),
            {"record": {}},
            {"range": [0, _X]},
        ]
    },
)


# ── Kleis ────────────────────────────────────────────────────────────────────────────────────────────────────


def _structures(count: int) -> str:
    return "".join(
        f"structure Unital{n}(G) {{ operation m{n} : G → G → G  element e{n} : G\n"
        f" axiom left : ∀(x : G). m{n}(e{n}, x) = x }}\n"
        f"define twice{n}(x : ℤ) : ℤ = if x > {n} then x + x else 2 * x\n"
        for n in range(count)
    )


def _parse(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    text = _structures(size)
    return partial(parse_source, text), len(text.encode())


def _format(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    text = _structures(size)
    return partial(format_source, text), 0


def _elaborate(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    """A theory from its tree to a question that all of its structures are axioms of."""
    text = _structures(size)
    program = parse_program(text)
    claim = parse_expression("∀(x : ℤ). twice0(x) = x + x")
    return lambda: Elaborator(Theory().include(program)).proposition(claim), len(text.encode())


def _question(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    """One question to a theory of so many structures, as solvers get it."""
    theory = Theory().include(parse_program(_structures(size)))
    claim = parse_expression("∀(x : G). m0(e0, x) = x")

    def work() -> object:
        return smtlib(Elaborator(theory).proposition(claim, using=parse_type("Unital0")))

    return work, 0


def _asked_again(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    """Further questions to a theory of so many sections, each about one of them."""
    text = "".join(
        f"structure Section{n} {{ operation f{n} : ℤ → ℤ  axiom grows : ∀(x : ℤ). f{n}(x) > x }}\n"
        for n in range(size)
    )
    elaborator = Elaborator(Theory().include(parse_program(text)))
    claims = [parse_expression(f"∀(x : ℤ). f{n}(x) > x - 1") for n in range(20)]

    def work() -> object:
        return [elaborator.proposition(each) for each in claims]

    work()
    return work, 0


def _listed(size: int, _: ExitStack) -> tuple[Callable[[], object], int]:
    environment = environment_of(parse_program(""))
    expression = parse_expression(f"sum(filter(λ x . mod(x, 3) = 0, map(λ x . x * x, range({size}))))")
    return lambda: evaluate(expression, environment, STANDARD_BUDGET), 0


# ── the registry ─────────────────────────────────────────────────────────────────────────────────────────────


def _registered(size: int, stack: ExitStack) -> tuple[Callable[[], object], int]:
    workspace = filled_workspace(Path(stack.enter_context(tempfile.TemporaryDirectory())), size)
    stack.callback(workspace.store.close)
    return lambda: workspace.run(Request(tool="square", input=7)), 0


def _decided(size: int, stack: ExitStack) -> tuple[Callable[[], object], int]:
    """Decisions of a policy with so many literal rules, the last of which decides."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    rows = "".join(f'  | "src/part{number}.rs" => "allow"\n' for number in range(size))
    file = folder / "policy.kleis"
    file.write_text(
        f'define check_file_delete(path) = match path {{\n    {rows.strip(" |")}  | _ => "deny"\n}}\n'
    )
    policy = load_policy(file)
    arguments = {"path": f"src/part{size - 1}.rs"}
    if not policy.decide("file_delete", arguments).allowed:
        raise ValueError("the last rule does not decide")
    return lambda: policy.decide("file_delete", arguments), 0


def _log(size: int, stack: ExitStack) -> tuple[ChainedLog, Ed25519PrivateKey]:
    key = Ed25519PrivateKey.generate()
    log = ChainedLog(Path(stack.enter_context(tempfile.TemporaryDirectory())), key, {})
    stack.callback(log.close)
    for _ in range(size):
        _logged(log)
    return log, key


def _logged(log: ChainedLog) -> None:
    token = log.before(
        Asked(
            principal="p", kind="tool", server="s", name="t", arguments=b"{}", policy="", rule="r",
            decision="allow", reason="", forwarded=True,
        )
    )  # fmt: skip
    log.after(token, Outcome(milliseconds=1.0))


def _append(size: int, stack: ExitStack) -> tuple[Callable[[], object], int]:
    log, _ = _log(size, stack)
    return lambda: [_logged(log) for _ in range(20)], 0


def _verified(size: int, stack: ExitStack) -> tuple[Callable[[], object], int]:
    log, key = _log(size, stack)

    def work() -> None:
        if not verify(log.path, key.public_key()).is_sound:
            raise ValueError("the log is not sound")

    return work, log.path.stat().st_size


def _rows() -> Iterator[Row]:
    yield Row("decode a term, nodes", 2_000, LINEAR, _decode)
    yield Row("hash a term, nodes", 2_000, LINEAR, _hash)
    yield Row("infer its type, nodes", 2_000, LINEAR, _types)
    yield Row("bound a cost, nodes", 2_000, LINEAR, _costs)
    yield Row("read records, items", 500, LINEAR, _read)
    yield Row("print records, items", 500, LINEAR, _print)
    for name, code in (("sum", _SUM), ("squares", _SQUARES), ("group in a record", _GROUPS)):
        yield Row(f"run {name}, items", 6_000, LINEAR, partial(_run, code))
    yield Row("parse Kleis, structures", 50, LINEAR, _parse)
    yield Row("format Kleis, structures", 25, LINEAR, _format)
    yield Row("elaborate a theory, structures", 50, LINEAR, _elaborate)
    yield Row("a question to a theory, structures", 60, CONSTANT, _question)
    yield Row("further questions to a theory, sections", 60, CONSTANT, _asked_again)
    yield Row("evaluate lists, items", 500, LINEAR, _listed)
    yield Row("run a tool, tools in the registry", 100, CONSTANT, _registered)
    yield Row("decide by literal rules, rules", 250, CONSTANT, _decided)
    yield Row("append to the gateway's log, calls in it", 100, CONSTANT, _append)
    yield Row("verify that log, calls", 100, LINEAR, _verified)


_ROWS: tuple[Row, ...] = (*_rows(),)
LIMITS = {f"{row.name}, {_span([row.smallest, row.smallest * STEP**2])}": row.limit for row in _ROWS}

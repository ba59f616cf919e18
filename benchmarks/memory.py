"""Bytes that a unit of fuel keeps alive, at most: programs that retain as much as they can, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pif.compiled.units import Cache, Prepared
from pif.language.budget import RETAINED_BYTES, Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import literal
from pif.reference.machine import Machine
from pif.reference.resolve import resolve
from pif.reference.run_input import given_term
from pif.run.stepping import Stepper

__all__ = ["HOGS", "LEFT", "LIMITS", "compiled_hog", "hog", "measure"]

MOST, MOST_COMPILED, CLOSURES = "most", "compiled: most", "compiled: most of closures"
LIMITS = {MOST: float(RETAINED_BYTES), MOST_COMPILED: float(RETAINED_BYTES), CLOSURES: 64.0}
FUEL = 2_000_000

_ACC = {"fst": {"var": "p"}}
_ITEM = {"snd": {"var": "p"}}


def _kept(part: Any) -> Any:
    """One step of a fold that conses `part` onto what it has."""
    return {"cons": [part, _ACC]}


def _new_scope(body: Any) -> Any:
    """One step that resolves the same quoted code in a scope with a new name and keeps a closure of it."""
    name = {"concat": ["n", {"show": _ITEM}]}
    code = {"record": {"op": "lam", "param": name, "body": {"reify": {"quote": {"eval": {"var": "big"}}}}}}
    step = _kept({"app": [{"eval": {"reflect": code}}, 1]})
    big = {"quote": {"lam": "z", "body": [{"eval": {"quote": 1}}, *body]}}
    return {"let": {"big": big}, "in": {"lam": "p", "body": step}}


def _step(body: Any) -> Any:
    return {"lam": "p", "body": body}


_WIDE = "\U0001f600"
HOGS: dict[str, Any] = {
    "cons": _step(_kept(1)),
    "pair": _step({"pair": [1, _ACC]}),
    "closure": _step({"lam": "y", "body": _ACC}),
    "closure over lets": _step(
        {"let": {"a": 1, "b": 2}, "in": {"lam": "y", "body": {"add": [{"var": "a"}, _ACC]}}}
    ),
    "list literals": _step(_kept([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
    "ranges": _step(_kept({"range": [10**12, 10**12 + 1_000]})),
    "empty records": _step(_kept({"record": {}})),
    "small records": _step(_kept({"record": {"a": 1}})),
    "records": _step(_kept({"record": dict.fromkeys("abcdef", 1)})),
    "with": _step(_kept({"with": [{"record": {"a": 1}}, "b", 2]})),
    "keys": _step(_kept({"keys": {"record": dict.fromkeys("abcdef", 1)}})),
    "short wide strings": _step(_kept({"concat": [_WIDE * 14, "a"]})),
    "wide strings": _step(_kept({"concat": [_WIDE * 60, "abcd"]})),
    "characters": _step(_kept({"chars": _WIDE * 64})),
    "shown": _step(_kept({"show": [_WIDE * 30, _ITEM]})),
    "integers": _step(_kept({"add": [2**190, _ITEM]})),
    "large sums": _step(_kept({"add": [2**8_000, _ITEM]})),
    "large products": _step(_kept({"mul": [2**8_000, _ITEM]})),
    "reify": _step(_kept({"reify": {"quote": {"add": [{"var": "x"}, {"app": [1, 2]}]}}})),
    "templates": _step(_kept({"quote": {"add": [{"unquote": _ITEM}, {"mul": [1, 2]}]}})),
    "analyze": _step(_kept({"analyze": {"quote": {"var": "x"}}})),
    "eval of new code": _step(
        _kept({"eval": {"quote": {"lam": "y", "body": {"add": [{"unquote": _ITEM}, 1]}}}})
    ),
    "eval in new scopes: names": _new_scope([{"var": "q"}] * 200),
    "eval in new scopes: records": _new_scope([{"record": {"a": 1}}] * 100),
    "eval in new scopes: lets": _new_scope([{"let": {"q": 1}, "in": {"eval": 1}}] * 50),
    "eval in new scopes: templates": _new_scope([{"quote": {"unquote": 1}}] * 70),
    "eval in new scopes: long lists": _new_scope([{"var": "q"}] * 3_000),
}
"""Functions for a fold from the empty list over a range; each step retains its result."""


class _NoTools:
    def tool(self, reference: str) -> Tool | None:
        return None

    def nearest(self, name: str) -> str | None:
        return None


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def hog(name: str, fuel: int = FUEL) -> float:
    """Bytes a unit of fuel that a hog keeps, measured in this process (which should be a fresh one)."""
    import gc

    gc.disable()
    reserve_stack(20_000)

    def used(times: int) -> int:
        code = resolve(decode_term({"fold": [HOGS[name], [], {"range": [0, times]}]}), (), "code", None)
        machine = Machine(Budget(fuel=10 * fuel), _NoTools(), resolve)
        kept.append(code.root.ev((), 10_000, machine))
        return machine.used()

    kept: list[object] = []
    each = (used(60) - used(10)) / 50
    before = _resident()
    total = used(int(fuel / each))
    return (_resident() - before) / total


LEFT = tuple(name for name in HOGS if name.startswith("eval "))
"""Hogs that make new code at each step; they are not compiled."""


def compiled_hog(name: str, fuel: int = FUEL) -> float:
    """The same on the compiled back end; the value is kept in a list, so that nothing calls it."""
    import gc

    gc.disable()
    reserve_stack(20_000)

    def used(times: int) -> int:
        code = {"cons": [{"fold": [HOGS[name], [], {"range": [0, times]}]}, []]}
        session = Stepper(_NoTools(), Budget(fuel=10 * fuel), Cache(), cancelled=None, hook=None)
        step = session.attempt(Prepared(decode_term(code), None), given_term(literal(None)), 10 * fuel)
        assert step is not None, name
        kept.append(step.value)
        return step.used

    kept: list[object] = []
    each = (used(60) - used(10)) / 50
    before = _resident()
    total = used(int(fuel / each))
    return (_resident() - before) / total


def _alone(*arguments: str) -> float:
    """A hog's figure, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.memory", *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return float(json.loads(done.stdout))


def measure() -> dict[str, float]:
    """Bytes a unit for each hog on both back ends, and the most of them."""
    found = {name: _alone(name) for name in HOGS}
    found[MOST] = max(found.values())
    compiled = {name: _alone(name, "compiled") for name in HOGS if name not in LEFT}
    found |= {f"compiled: {name}": figure for name, figure in compiled.items()}
    closures = {name for name in compiled if name.startswith("closure")}
    found[MOST_COMPILED] = max(figure for name, figure in compiled.items() if name not in closures)
    found[CLOSURES] = max(compiled[name] for name in closures)
    return found


if __name__ == "__main__":
    print(json.dumps(compiled_hog(sys.argv[1]) if sys.argv[2:] else hog(sys.argv[1])))

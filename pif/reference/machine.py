"""The state of one run, the base of all nodes, and how an error gets its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from pif.language.budget import Budget
from pif.language.errors import ErrorKind, PifError, Place, pointer
from pif.language.host import Theory, missing_tool
from pif.language.terms import Term
from pif.language.values import LONG, Value, kind_of

if TYPE_CHECKING:
    from pif.language.host import Tool, Tools
    from pif.reference.meter import Meter

__all__ = ["Code", "Env", "Machine", "Node", "One", "Resolve", "Two"]

Env = Any

SLICE = 4_096


class Resolve(Protocol):
    """`resolve.resolve`, with its choice of tracing made."""

    def __call__(self, term: Term, names: tuple[str, ...], place: Place, owner: Tool | None) -> Code: ...


class Code:
    """A resolved term with its origin: the root of the nodes' parent links.

    `place` and `owner` say what text a path points into; `wants` says which of the names in scope the flat end of the
    environment must hold the values of: their indexes, in order. Nodes know what they are part of, so that code is full
    of cycles, and nothing collects them while anything runs: who resolved it for one run must `release` it.
    """

    __slots__ = ("nodes", "owner", "place", "root", "wants")

    def __init__(self, place: Place, owner: Tool | None) -> None:
        self.place: Place = place
        self.owner = owner
        self.wants: tuple[int, ...] = ()
        self.root: Node
        self.nodes: list[Node] = []

    def release(self) -> None:
        """Undo the cycles; afterwards no node can tell where it stands."""
        for node in self.nodes:
            del node.parent
        self.nodes.clear()


_INSTEAD = {
    ("add", "string"): "`concat` joins two strings; the library's std.parseInteger reads a number from text.",
    (
        "concat",
        "list",
    ): "Lists are joined by the library's std.append; `join` makes text of a list of strings.",
    ("get", "list"): "An item by its number is the library's std.nth; the first is `head`.",
    ("app", "integer"): "A function takes one argument; further ones are for the function that it gives.",
}
"""What does what an operation was probably meant to do, by the kind of its operand."""


class Node:
    """One operation, resolved. `parent` is the node (or `Code`) it is part of, `steps` the JSON keys from there
    (an item of a list has its bare index: long literals hold many nodes)."""

    __slots__ = ("parent", "steps")

    parent: Node | Code
    steps: tuple[str | int, ...] | int

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        """The value. `depth` counts down: how many levels may still be entered below this one."""
        raise AssertionError(f"{type(self).__name__} does not evaluate")  # every subclass overrides this

    def origin(self) -> tuple[Code, str]:
        """The code this node belongs to and its path there."""
        keys: list[str | int] = []
        node: Node | Code = self
        while isinstance(node, Node):
            keys.extend(reversed(node.steps) if isinstance(node.steps, tuple) else (node.steps,))
            node = node.parent
        path: Any = None
        for key in reversed(keys):
            path = (path, key)
        return node, pointer(path)

    def fail(
        self,
        kind: ErrorKind,
        message: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> NoReturn:
        """Stop the run with an error at this node."""
        code, path = self.origin()
        raise PifError(
            kind,
            message,
            path=("/input" + path) if code.place == "input" else path,
            place=code.place,
            tool=code.owner.label if code.owner else None,
            found=found,
            expected=expected,
            hint=hint,
        )

    def wrong_type(self, operation: str, value: Value, expected: str, hint: str | None = None) -> NoReturn:
        """A `type_error` at this node, which is the operand with the wrong value."""
        kind = kind_of(value)
        if kind == "continue":
            self.misplaced_continue()
        if kind == "quoted" and expected == "a function":
            hint = hint or "A quoted term must be run first: wrap it in `eval`."
        hint = _INSTEAD.get((operation, kind), hint)
        article = "an" if kind[0] in "aeiou" and not kind.startswith("uni") else "a"
        self.fail(
            "type_error", f"`{operation}` needs {expected}, got {article} {kind}", found=kind, expected=expected,
            hint=hint,
        )  # fmt: skip

    def misplaced_continue(self) -> NoReturn:
        self.fail(
            "type_error",
            "`continue` may only be the value of a tool's run",
            found="continue",
            hint="Put it last: in a branch of `if`, the body of a `let` or a function's body; "
            "for a result to compute with, call {\"self\": true} instead.",
        )  # fmt: skip


class One(Node):
    """An operation on one operand."""

    __slots__ = ("operand",)

    operand: Node


class Two(Node):
    """An operation on two operands."""

    __slots__ = ("left", "right")

    left: Node
    right: Node


class Machine:
    """What one run has left and what it may reach. `cancelled` is asked once for each `SLICE` units of fuel.

    `resolve` turns terms into nodes (it is handed in because nodes need the machine and it needs the nodes); with a
    `hook`, which is told of every step, it must make traced ones, with a `meter` metered ones. `long_lists` keeps the long lists made until the
    run is over; whoever holds it then should `values.dismantle` it. `made` is the code that was resolved for this run.
    """

    __slots__ = (
        "budget",
        "cancelled",
        "codes",
        "evals",
        "fuel",
        "hook",
        "long_lists",
        "made",
        "meter",
        "reserve",
        "resolve",
        "resolved",
        "theory",
        "tools",
    )

    def __init__(
        self,
        budget: Budget,
        tools: Tools,
        resolve: Resolve,
        *,
        theory: Theory | None = None,
        cancelled: Callable[[], bool] | None = None,
        hook: Callable[[dict[str, Any]], None] | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.hook = hook
        self.meter = meter
        self.long_lists: list[Value] = []
        self.made: list[Code] = []
        self.codes: dict[str, Code] = {}
        self.budget = budget
        self.tools = tools
        self.theory = theory
        self.cancelled = cancelled
        self.evals = 0
        self.fuel = min(SLICE, budget.fuel)
        self.reserve = budget.fuel - self.fuel
        self.resolve = resolve
        self.resolved: dict[tuple[int, Tool | None, tuple[str, ...]], tuple[Term, Code]] = {}

    def keep(self, made: Value) -> Value:
        """Keep a list that was just made if it is long."""
        if made and made[2] >= LONG:
            self.long_lists.append(made)
        return made

    def left(self) -> int:
        return self.fuel + self.reserve

    def used(self) -> int:
        return self.budget.fuel - self.left()

    def charge(self, amount: int, node: Node) -> None:
        """Take fuel; `out_of_fuel` where there is less than that left."""
        self.fuel -= amount
        if self.fuel < 0:
            self.refill(node)

    def refill(self, node: Node) -> None:
        """Move fuel over from the reserve, after a look at the cancel flag."""
        if self.fuel + self.reserve < 0:
            self.fuel = self.reserve = 0
            limit = self.budget.fuel
            node.fail(
                "out_of_fuel",
                f"the run used all its {limit} units of fuel",
                hint=self.more_fuel(),
            )
        self.look(node)
        moved = min(self.reserve, SLICE - self.fuel)
        self.fuel += moved
        self.reserve -= moved

    def look(self, node: Node) -> None:
        """Look at the cancel flag, where much time may pass between two calls of `refill`."""
        if self.cancelled is not None and self.cancelled():
            node.fail("cancelled", "the run was cancelled")

    def more_fuel(self) -> str:
        more = min(self.budget.fuel * 10, self.budget.ceiling)
        if more > self.budget.fuel:
            return f'Pass "fuel": {more}, or give the tool less to do.'
        return "No run gets more here: give the tool less to do, or go on in steps by `continue` and `drive`."

    def stop(self, node: Node, depth: int, static: int = 0) -> None:
        """Called by a node whose charge of 1 + `static` left no fuel or that is too deep: say which, or go on."""
        self.fuel += static
        if self.fuel < 0:
            self.refill(node)
        if depth < 0:
            self.too_deep(node)
        self.charge(static, node)

    def too_deep(self, node: Node) -> NoReturn:
        node.fail(
            "too_deep",
            f"evaluation nests more than {self.budget.depth} levels",
            hint="Loop by `fold` over a list or a `range`, or go on in steps by `continue` and `drive`.",
        )

    def tool(self, reference: str, node: Node) -> Tool:
        """The tool of that name, or `unknown_tool` at `node`."""
        tool = self.tools.tool(reference)
        if tool is None:
            missing = missing_tool(reference, self.tools)
            node.fail("unknown_tool", missing.message, found=missing.found, hint=missing.hint)
        return tool

    def code_of(self, tool: Tool) -> Code:
        """A tool's resolved code; made once for each version, or each run that is watched."""
        is_plain = self.hook is None and self.meter is None
        code = tool.code if is_plain else self.codes.get(tool.reference)
        if code is None:
            code = self.resolve(tool.term, (), "code", tool)
            if is_plain:
                code.nodes.clear()  # it stays with the tool
                tool.code = code
            else:
                self.made.append(code)
                self.codes[tool.reference] = code
        return code

    def code_for(self, term: Term, owner: Tool | None, names: tuple[str, ...]) -> Code:
        """A quoted term resolved against the names in scope; kept for the rest of the run."""
        key = (id(term), owner, names)
        known = self.resolved.get(key)
        if known is None:
            place: Place = "code" if owner is not None and term is owner.term else "quoted"
            # The term is kept beside its code: a freed term's id could be given to another.
            known = self.resolved[key] = (term, self.resolve(term, names, place, owner))
            self.made.append(known[1])
        return known[1]

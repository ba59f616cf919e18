"""Nodes for names, functions, choice, folding, evaluation of quoted code, `self` and `continue`."""

from __future__ import annotations

from pif.language import primitives as table
from pif.language.errors import nearest
from pif.language.host import Tool
from pif.language.terms import text_charge
from pif.language.values import Closure, Continuation, Quoted, Value, is_list
from pif.reference.machine import Code, Env, Machine, Node

__all__ = [
    "Application",
    "Choice",
    "Continue",
    "Eval",
    "Fold",
    "Given",
    "Lambda",
    "Let",
    "Literal",
    "Scope",
    "Self",
    "StringLiteral",
    "ToolApplication",
    "ToolName",
    "Unbound",
    "Variable",
    "Variable0",
    "Variable1",
    "Variable2",
]


class Literal(Node):
    """An integer, a boolean, unit, or the empty list."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return self.value


class StringLiteral(Node):
    """A string, charged by its length as well."""

    __slots__ = ("charge", "value")

    def __init__(self, value: str, charge: int) -> None:
        self.value = value
        self.charge = charge

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - self.charge
        if fuel < 0 or depth < 0:
            run.stop(self, depth, self.charge)
        return self.value


class Variable0(Node):
    """The innermost name."""

    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return env[0]


class Variable1(Node):
    """The name one step out."""

    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return env[1][0]


class Variable2(Node):
    """The name two steps out."""

    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return env[1][1][0]


class Variable(Node):
    """A name any number of steps out."""

    __slots__ = ("hops",)

    def __init__(self, hops: int) -> None:
        self.hops = hops

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        for _ in range(self.hops):
            env = env[1]
        return env[0]


class Given(Node):
    """A name that an `eval` handed in: a place in the flat end of the environment."""

    __slots__ = ("hops", "index")

    def __init__(self, hops: int, index: int) -> None:
        self.hops = hops
        self.index = index

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        for _ in range(self.hops):
            env = env[1]
        return env[self.index]


class Unbound(Node):
    """A name that nothing binds: an error where it is reached, not before."""

    __slots__ = ("name", "scope")

    def __init__(self, name: str, scope: Scope) -> None:
        self.name = name
        self.scope = scope

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        visible = list(self.scope.access())
        close = nearest(self.name, visible)
        names = ", ".join(name[:80] for name in visible[:8]) or "none"
        self.fail(
            "unbound_variable",
            f'nothing binds "{self.name[:80]}" here',
            found=self.name[:80],
            expected=f"a name in scope: {names}",
            hint=f'Did you mean "{close}"?'
            if close
            else 'Bind it: {"lam": NAME, "body": …}, or {"let": {NAME: …}, "in": …}.',
        )


class Lambda(Node):
    """A function. `charge` is what the closure keeps alive."""

    __slots__ = ("body", "charge")

    body: Node

    def __init__(self, charge: int) -> None:
        self.charge = charge

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - self.charge
        if fuel < 0 or depth < 0:
            run.stop(self, depth, self.charge)
        return Closure(self.body, env)


class Application(Node):
    """A call. `operand` says that the value is wanted for more than being the run's own (no `continue`).

    The body runs at the depth of the operands, which have been entered by then: no depth test is left to make.
    """

    __slots__ = ("argument", "function", "operand")

    function: Node
    argument: Node

    def __init__(self, operand: bool) -> None:
        self.operand = operand

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        depth -= 1
        function = self.function.ev(env, depth, run)
        argument = self.argument.ev(env, depth, run)
        if type(function) is not Closure:
            self.function.wrong_type("app", function, "a function")
        run.fuel = fuel = run.fuel - 1
        if fuel < 0:
            run.refill(self)
        value = function.body.ev((argument, function.env), depth, run)
        if type(value) is Continuation and self.operand:
            self.misplaced_continue()
        return value


class ToolName(Node):
    """A literal string in function position. No node of its own: it only tells errors and traces where it stands."""

    __slots__ = ()

    def announce(self, run: Machine) -> None:
        """Tell the run's hook that the tool is looked up, where this is traced."""


class ToolApplication(Node):
    """A call of the tool that a literal string names: its code is evaluated first, one level deeper."""

    __slots__ = ("argument", "name", "operand", "place")

    argument: Node
    place: ToolName

    def __init__(self, name: str, operand: bool) -> None:
        self.name = name
        self.operand = operand

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        depth -= 1
        self.place.announce(run)
        function = run.code_of(run.tool(self.name, self.place)).root.ev((), depth, run)
        if type(function) is Continuation:
            self.place.misplaced_continue()
        argument = self.argument.ev(env, depth, run)
        if type(function) is not Closure:
            self.place.wrong_type("app", function, "a function")
        run.fuel = fuel = run.fuel - 1
        if fuel < 0:
            run.refill(self)
        value = function.body.ev((argument, function.env), depth, run)
        if type(value) is Continuation and self.operand:
            self.misplaced_continue()
        return value


class Self(Node):
    """The present tool: its code is evaluated, one level deeper."""

    __slots__ = ("operand", "tool")

    def __init__(self, tool: Tool | None, operand: bool) -> None:
        self.tool = tool
        self.operand = operand

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        if self.tool is None:
            self.fail(
                "no_tool_context",
                "`self` stands in code that belongs to no tool",
                hint="Evolve the code as a tool, whose `lam` may call it; quoted and inline code belongs to no tool.",
            )
        value = run.code_of(self.tool).root.ev((), depth - 1, run)
        if type(value) is Continuation and self.operand:
            self.misplaced_continue()
        return value


class Let(Node):
    """One name for the length of a body."""

    __slots__ = ("body", "value")

    body: Node
    value: Node

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return self.body.ev((self.value.ev(env, depth - 1, run), env), depth - 1, run)


class Choice(Node):
    """`if`."""

    __slots__ = ("condition", "no", "yes")

    condition: Node
    yes: Node
    no: Node

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        condition = self.condition.ev(env, depth - 1, run)
        if condition is True:
            return self.yes.ev(env, depth - 1, run)
        if condition is False:
            return self.no.ev(env, depth - 1, run)
        self.condition.wrong_type("if", condition, "a boolean condition")


class Fold(Node):
    """The left fold; its function is called on one pair for each item."""

    __slots__ = ("function", "initial", "items")

    function: Node
    initial: Node
    items: Node

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        depth -= 1
        function = self.function.ev(env, depth, run)
        value = self.initial.ev(env, depth, run)
        items = self.items.ev(env, depth, run)
        if type(function) is not Closure:
            hint = 'Only `app` takes a tool\'s name; write {"eval": {"code_of": "name"}}.'
            self.function.wrong_type("fold", function, "a function", hint if type(function) is str else None)
        if not is_list(items):
            self.items.wrong_type("fold", items, "a list")
        if not items:
            return value
        run.charge(items[2], self)
        body, outer = function.body, function.env
        while items:
            item, items, _ = items
            run.fuel = fuel = run.fuel - 1
            if fuel < 0:
                run.refill(self)
            value = body.ev(((value, item), outer), depth, run)
            if type(value) is Continuation:
                self.function.misplaced_continue()
        return run.keep(value) if is_list(value) else value


class Scope:
    """One binder on the way outward, or (with `outer` None) the flat end with the places of the `given` names.

    `level` counts the binders from the end to here, `distinct` the names in scope; `visible` is what an `eval` here is
    charged for them.
    """

    __slots__ = ("distinct", "given", "level", "name", "outer", "visible")

    def __init__(
        self,
        name: str | None,
        outer: Scope | None,
        given: dict[str, int],
        level: int,
        distinct: int,
        visible: int,
    ) -> None:
        self.name = name
        self.outer = outer
        self.given = given
        self.level = level
        self.distinct = distinct
        self.visible = visible

    def access(self) -> dict[str, int]:
        """Where each name's value stands: steps outward, or at the flat end its index from the end of all (-1, -2, …);
        sorted by name."""
        found: dict[str, int] = {}
        scope = self
        while scope.outer is not None:
            assert scope.name is not None
            found.setdefault(scope.name, self.level - scope.level)
            scope = scope.outer
        for name, index in self.given.items():
            found.setdefault(name, -1 - index)
        return dict(sorted(found.items()))


class Eval(Node):
    """Run quoted code with the names in scope here. `names` and where their values stand are found at the first run."""

    __slots__ = ("names", "operand", "places", "quoted", "scope")

    quoted: Node

    def __init__(self, scope: Scope, operand: bool) -> None:
        self.scope = scope
        self.operand = operand
        self.names: tuple[str, ...] | None = None
        self.places: tuple[int, ...] = ()

    def names_in_scope(self) -> tuple[str, ...]:
        access = self.scope.access()
        self.places = tuple(access.values())
        self.names = names = tuple(access)
        return names

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        quoted = self.quoted.ev(env, depth - 1, run)
        if type(quoted) is not Quoted:
            self.quoted.wrong_type("eval", quoted, "a quoted term")
        term = quoted.term
        run.charge(table.EVAL_NODE * term.nodes + text_charge(term) + self.scope.visible, self)
        names = self.names
        if names is None:
            names = self.names_in_scope()
        if run.evals >= run.budget.eval_depth:
            self.fail(
                "eval_depth_exceeded",
                f"more than {run.budget.eval_depth} `eval`s are waiting for each other",
                hint="Let `eval` give a function and call that: a call of it does not count.",
            )
        run.evals += 1
        code = run.code_for(term, quoted.owner, names)
        value = code.root.ev(self.given(code, env), depth - 1, run)
        run.evals -= 1
        if type(value) is Continuation and self.operand:
            self.misplaced_continue()
        return value

    def given(self, code: Code, env: Env) -> Env:
        """The flat environment that `code` wants, gathered in one walk outward."""
        if not code.wants:
            return ()
        places = [self.places[index] for index in code.wants]
        level = self.scope.level
        furthest = level if min(places) < 0 else max(places)
        chain = [env]
        for _ in range(furthest):
            chain.append(chain[-1][1])
        return tuple([chain[place][0] if place >= 0 else chain[level][-1 - place] for place in places])


class Continue(Node):
    """The step that asks to be called again; legal only as the value of the run."""

    __slots__ = ("input", "operand", "tool")

    input: Node

    def __init__(self, tool: Tool | None, operand: bool) -> None:
        self.tool = tool
        self.operand = operand

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.input.ev(env, depth - 1, run)
        if self.tool is None:
            self.fail(
                "no_tool_context",
                "`continue` stands in code that belongs to no tool",
                hint="Evolve the code as a tool; then `continue` can name what is to be called again.",
            )
        if self.operand:
            self.misplaced_continue()
        return Continuation(value, self)

"""Calls: of lambdas, which are put in, of tools, which are Kleis functions, and of the tool itself (ADR 015)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.syntax.tree import Expression
from pif.analysis.facts import literal_tool
from pif.language.host import Tool
from registry.translate.kleis_syntax import call
from registry.translate.known_folds import reversed_list
from registry.translate.symbolic_values import Called, Closure, Code, Function, Part, Plain, RecordOf, Source

if TYPE_CHECKING:
    from registry.translate.translator import Translator

__all__ = ["apply", "called"]


def called(translator: Translator, code: Code) -> Part:
    """`app`, `self` and `eval`."""
    match code.term.op:
        case "self":
            return _tool(translator, code.source.tool, code)
        case "eval":
            return _evaluated(translator, code)
        case _:
            name = literal_tool(code.term)
            function = _named(translator, name, code.child(0)) if name else translator.part(code.child(0))
            return apply(translator, function, translator.part(code.child(1)), code, code.child(1))


def apply(
    translator: Translator, function: Part, argument: Part, code: Code, given: Code | None = None
) -> Part:
    """A function at an argument; `given` is the code of the argument, for the type."""
    type_ = None if given is None else given.type
    match function:
        case Closure(code=inside):
            bound = translator.bound(argument, inside.term.value, type_)
            return translator.part(inside.child(0).where(inside.term.value, bound))
        case Called():
            whole = Called(function.function, (*function.arguments, argument))
            return _complete(translator, whole, code)
        case _:
            raise code.refuse("what is called here is known only when it runs")


def _complete(translator: Translator, whole: Called, code: Code) -> Part:
    """A tool with some arguments; with all of them, the call."""
    if len(whole.arguments) < whole.function.parameters:
        return whole
    arguments: list[Expression] = []
    for part, fields in zip(whole.arguments, whole.function.records, strict=True):
        if fields is None:
            arguments.append(translator.plain(part, code))
        else:
            arguments += _fields(translator, part, fields, whole.function, code)
    if whole.function.reverses:
        return Plain(reversed_list(*arguments))
    return Plain(call(whole.function.name, *arguments))


def _fields(
    translator: Translator, part: Part, fields: tuple[str, ...], function: Function, code: Code
) -> list[Expression]:
    """A record as the parameters that it became."""
    if isinstance(part, RecordOf):
        known = {name: translator.atom(value, name) for name, value in part.fields.items()}
        if set(known) != set(fields) and function.gives_record:
            raise code.refuse(f"{function.label} gets a record with more fields than it names, and gives one")
        if set(fields) <= set(known):
            return [known[name] for name in fields]
    raise code.refuse(f"the record that {function.label} takes is not written out where it is called")


def _named(translator: Translator, name: str, code: Code) -> Part:
    tool = translator.tools.tool(name)
    if tool is None:
        raise code.refuse(f'there is no tool "{name[:48]}"')
    return _tool(translator, tool, code)


def _tool(translator: Translator, tool: Tool, code: Code) -> Part:
    """What a tool's name stands for."""
    if tool.label == translator.own.label:
        return Called(translator.own)
    function = translator.function(tool)
    if function is not None:
        return _complete(translator, Called(function), code) if not function.parameters else Called(function)
    if code.term.op == "self":
        raise code.refuse(f"{tool.label} takes functions and calls itself, so it cannot be put in")
    if tool.term.op != "lam":
        raise code.refuse(f"{tool.label} computes a function, which is known only when it runs")
    return Closure(Code(tool.term, {}, None, Source(tool, None)))


def _evaluated(translator: Translator, code: Code) -> Part:
    """`eval` of a tool's source."""
    quoted = code.child(0)
    name = literal_tool(quoted.term)
    if quoted.term.op == "code_of" and name is not None:
        return (
            _tool(translator, code.source.tool, code) if name == "self" else _named(translator, name, quoted)
        )
    raise code.refuse("`eval` runs code that Kleis does not have")

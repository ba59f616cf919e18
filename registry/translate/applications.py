"""Calls: of lambdas, which are inlined, of tools, which are Kleis functions, and of the tool itself."""

from __future__ import annotations

from kleis.syntax.tree import Expression
from pif.analysis.facts import literal_tool
from pif.language.host import Tool
from registry.translate.kleis_syntax import call
from registry.translate.known_folds import reversed_list
from registry.translate.symbolic_values import (
    Called,
    Closure,
    Code,
    Function,
    Part,
    Plain,
    RecordOf,
    Source,
    Translation,
    plain,
)

__all__ = ["apply", "called"]


def called(translation: Translation, code: Code) -> Part:
    """`app`, `self` and `eval`."""
    match code.term.op:
        case "self":
            return _tool(translation, code.source.tool, code)
        case "eval":
            return _evaluated(translation, code)
        case _:
            name = literal_tool(code.term)
            function = _named(translation, name, code.child(0)) if name else translation.part(code.child(0))
            return apply(translation, function, translation.part(code.child(1)), code, code.child(1))


def apply(
    translation: Translation, function: Part, argument: Part, code: Code, given: Code | None = None
) -> Part:
    """A function at an argument; `given` is the code of the argument, for the type."""
    type_ = None if given is None else given.type
    match function:
        case Closure(code=inside):
            bound = translation.bound(argument, inside.term.value, type_)
            return translation.part(inside.child(0).where(inside.term.value, bound))
        case Called():
            whole = Called(function.function, (*function.arguments, argument))
            return _complete(translation, whole, code)
        case _:
            raise code.untranslatable("what is called here is known only when it runs")


def _complete(translation: Translation, whole: Called, code: Code) -> Part:
    """A tool applied to some arguments; the call if these are all."""
    if len(whole.arguments) < whole.function.parameters:
        return whole
    arguments: list[Expression] = []
    for part, fields in zip(whole.arguments, whole.function.records, strict=True):
        if fields is None:
            arguments.append(plain(part, code))
        else:
            arguments += _fields(translation, part, fields, whole.function, code)
    if whole.function.reverses:
        return Plain(reversed_list(*arguments))
    return Plain(call(whole.function.name, *arguments))


def _fields(
    translation: Translation, part: Part, fields: tuple[str, ...], function: Function, code: Code
) -> list[Expression]:
    """A record argument as the parameters of its fields."""
    if isinstance(part, RecordOf):
        known = {name: translation.atom(value, name) for name, value in part.fields.items()}
        if set(known) != set(fields) and function.gives_record:
            raise code.untranslatable(
                f"{function.label} gets a record with more fields than it names, and gives one"
            )
        if set(fields) <= set(known):
            return [known[name] for name in fields]
    raise code.untranslatable(f"the record that {function.label} takes is not written out where it is called")


def _named(translation: Translation, name: str, code: Code) -> Part:
    tool = translation.tools.tool(name)
    if tool is None:
        raise code.untranslatable(f'there is no tool "{name[:48]}"')
    return _tool(translation, tool, code)


def _tool(translation: Translation, tool: Tool, code: Code) -> Part:
    """What a tool's name stands for."""
    if tool.label == translation.own.label:
        return Called(translation.own)
    function = translation.function(tool)
    if function is not None:
        return _complete(translation, Called(function), code) if not function.parameters else Called(function)
    if code.term.op == "self":
        raise code.untranslatable(f"{tool.label} takes functions and calls itself, so it cannot be put in")
    if tool.term.op != "lam":
        raise code.untranslatable(f"{tool.label} computes a function, which is known only when it runs")
    return Closure(Code(tool.term, {}, None, Source(tool, None)))


def _evaluated(translation: Translation, code: Code) -> Part:
    """`eval` of a tool's source."""
    quoted = code.child(0)
    name = literal_tool(quoted.term)
    if quoted.term.op == "code_of" and name is not None:
        return (
            _tool(translation, code.source.tool, code)
            if name == "self"
            else _named(translation, name, quoted)
        )
    raise code.untranslatable("`eval` runs code that Kleis does not have")

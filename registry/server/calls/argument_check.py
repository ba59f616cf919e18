"""The check of a call's arguments against the type of its tool: a value of that type, or an error.

Every error says which argument, what is wrong with it, what is allowed, the nearest known spelling and one valid
example (docs/reference/serving.md §5.1). Messages of msgspec never reach the client.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kleis.decoding import converted
from pif.language.errors import nearest
from registry.server.contract.group import Answer, ToolSpec

__all__ = ["Checker"]

_PLACE = re.compile(r" - at `\$(?P<place>.*)`$")
_WANTED = re.compile(
    r"^Expected `(?P<kind>[^`]*)`(?P<bound> (?:>|<|of length|matching).*?)?(?:, got `(?P<got>[^`]*)`)?$"
)
_FIELD = re.compile(r"^Object (?P<what>contains unknown|missing required) field `(?P<name>.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_KINDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


class Checker:
    """Converts the arguments of one tool. Made once for each `ToolSpec`.

    Raises ValueError where the advertised schema and the type name different arguments.
    """

    def __init__(self, spec: ToolSpec) -> None:
        self._spec = spec
        fields = msgspec.structs.fields(spec.arguments)
        self._known = tuple(field.encode_name for field in fields)
        self._required = tuple(field.encode_name for field in fields if field.required)
        if spec.schema is None:
            return
        advertised = spec.schema.get("properties", {})
        if set(advertised) != set(self._known):
            raise ValueError(
                f"tool {spec.name}: the schema has {sorted(advertised)}, the type {sorted(self._known)}"
            )
        if set(spec.schema.get("required", ())) != set(self._required):
            raise ValueError(f"tool {spec.name}: the schema and the type require different arguments")

    def check(self, arguments: Any) -> msgspec.Struct | Answer:
        """The arguments as the tool's type, or the error."""
        given = {} if arguments is None else arguments
        if not isinstance(given, Mapping):
            return self._error(f"`arguments` must be an object, not {_kind_of(given)}", path="")
        if not self._known_only(given):
            return self._unknown(given)
        for name in self._required:
            if name not in given:
                return self._error(f"the argument `{name}` is missing", path="")
        try:
            return converted(given, self._spec.arguments)
        except msgspec.ValidationError as error:
            return self._invalid(str(error), given)
        except RecursionError:
            return self._error("the arguments nest too deeply", path="")

    def _known_only(self, given: Mapping[str, Any]) -> bool:
        return all(name in self._known for name in given)

    def _unknown(self, given: Mapping[str, Any]) -> Answer:
        unknown = [name for name in given if name not in self._known]
        parts = []
        for name in unknown[:5]:
            close = nearest(name, (known for known in self._known if known not in given))
            parts.append(f"`{_shortened(name)}`" + (f" (did you mean `{close}`?)" if close else ""))
        what = "unknown argument " if len(unknown) == 1 else "unknown arguments "
        return self._error(what + ", ".join(parts), path="/" + _pointer(unknown[0]))

    def _invalid(self, problem: str, given: Mapping[str, Any]) -> Answer:
        """The error for a problem that msgspec found, reworded."""
        place = _PLACE.search(problem)
        steps = _steps(place["place"]) if place else []
        path = "".join("/" + _pointer(step) for step in steps)
        bare = problem[: place.start()] if place else problem
        subject = f"`{steps[0]}`" if steps else "the arguments"
        inside = f" (at {path})" if len(steps) > 1 else ""
        field = _FIELD.match(bare)
        if field:
            verb = "has an unknown field" if field["what"] == "contains unknown" else "lacks the field"
            return self._error(f"{subject}{inside} {verb} `{_shortened(field['name'])}`", path=path)
        wanted = _WANTED.match(bare)
        value = _at(given, steps)
        if wanted is None:
            allowed = self._allowed(steps)
            return self._error(f"{subject}{inside} does not accept {_shown(value)}{allowed}", path=path)
        # A null that is taken means "left out": it is no value of the argument, and the schema does not name it.
        kinds = [each for part in wanted["kind"].split("|") if (each := part.strip()) != "null"] or ["null"]
        kind = " or ".join(_KINDS.get(each, each) for each in kinds)
        bound = _bound(wanted["bound"] or "")
        found = _kind_of(value) if wanted["got"] else _shown(value)
        left_out = value is None and len(steps) == 1 and steps[0] not in self._required
        advice = f"; leave `{steps[0]}` out instead" if left_out else ""
        return self._error(f"{subject}{inside} must be {kind}{bound}, not {found}{advice}", path=path)

    def _allowed(self, steps: list[str]) -> str:
        schema = self._spec.input_schema.get("properties", {}).get(steps[0], {}) if steps else {}
        choices = schema.get("enum")
        return f"; allowed: {', '.join(map(str, choices))}" if choices else ""

    def _error(self, message: str, *, path: str) -> Answer:
        hint = f"{self._spec.name} takes {_listed(self._known, self._required)}."
        example = self._spec.example
        if example is None:
            return Answer.error("invalid_argument", message, path=path, hint=hint)
        text = msgspec.json.encode(example).decode()
        return Answer.error(
            "invalid_argument", message, path=path, hint=f"{hint} Example: {text}", example=dict(example)
        )


def _listed(known: Iterable[str], required: Iterable[str]) -> str:
    needed = set(required)
    names = [f"`{name}`" if name in needed else f"`{name}` (optional)" for name in known]
    return ", ".join(names) if names else "no arguments"


def _pointer(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _steps(place: str) -> list[str]:
    return [name or index for name, index in _STEP.findall(place)]


def _at(value: Any, steps: list[str]) -> Any:
    """The value at a place, or None where the place is not exact ("[...]" is any key)."""
    for step in steps:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _bound(bound: str) -> str:
    words = bound.strip()
    for sign, text in ((">= ", "at least "), ("<= ", "at most "), ("> ", "more than "), ("< ", "less than ")):
        words = words.replace(sign, text)
    if not words:
        return ""
    return f" {words}" if words.startswith(("of ", "matching ")) else f" of {words}"


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return "an integer"
        case float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"


def _shown(value: Any) -> str:
    """A value in a message: itself if it is short, else its kind."""
    if isinstance(value, bool | None):
        return _kind_of(value)
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= 128):
        return str(value)
    if isinstance(value, str) and len(value) <= 40:
        return f'"{value}"'
    return _kind_of(value)


def _shortened(name: str) -> str:
    return name if len(name) <= 60 else name[:57] + "…"

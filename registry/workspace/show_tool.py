"""The answer of `show`: one tool with its code, also as Python and as Kleis, its laws and its versions."""

from __future__ import annotations

import msgspec

from pif.analysis.cost.bounds import cost_json
from pif.analysis.types.tool_types import Typing
from pif.language.host import Tool, Tools
from pif.language.terms import Json
from pif.run.evaluate import Answer
from registry.laws.on_evolve import current_laws
from registry.records import ToolRecord
from registry.store.protocol import Lineage
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["in_kleis", "shown"]


def shown(
    record: ToolRecord,
    tool: Tool,
    lineage: Lineage | None,
    tools: SnapshotTools,
    typing: Typing,
    *,
    python: bool,
    kleis: bool,
) -> Answer:
    """The answer for one version of a tool."""
    written: Answer = {}
    if python:
        from pif.python_syntax import print_python

        written["python"] = print_python(tool.term, record.name)
    if kleis:
        written |= in_kleis(tool, tools)
    if laws := current_laws(record, tools):
        written["laws"] = laws
    versions: list[Json] = [
        {"version": v.version, "hash": v.hash, "created": v.created}
        for v in (lineage.versions if lineage else ())
    ]
    return {
        "type": "tool",
        "name": record.name,
        "version": record.version,
        "current": lineage.current if lineage else record.version,
        "hash": record.hash,
        "description": record.description,
        "capabilities": [*record.capabilities],
        **typing.as_json(),
        "cost": cost_json(tool.term, tools, typing),
        "created": record.created,
        "code": msgspec.json.decode(record.code),
        **written,
        "versions": versions,
    }


def in_kleis(tool: Tool, tools: Tools) -> Answer:
    """A tool as Kleis definitions, with all that it calls; or why it has none."""
    from registry.translate.symbolic_values import Untranslatable
    from registry.translate.tool_theory import ToolTheory

    theory = ToolTheory(tools)
    try:
        own = theory.of(tool)
    except Untranslatable as error:
        return {"kleis_refused": {"reason": error.reason, "path": error.path, "tool": error.tool}}
    needed = [each.source for label, each in theory.translated.items() if label != tool.label]
    return {"kleis": "\n".join([*needed, own.source]), "kleis_name": own.function.name}

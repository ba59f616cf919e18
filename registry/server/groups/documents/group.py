"""The group `documents`: pictures and papers of theory sessions (docs/reference/documents.md §4).

Drawing and compiling run in child processes with limits; a cancelled call stops them. What was made stays in memory, the
newest of it, under addresses made of hashes.

Invariants
----------
- Nothing is written to disk, and nothing outside a fresh directory is read.
- Without an extra a tool answers an error that names it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, assert_never

import msgspec

from kleis.documents.child import Limits
from kleis.documents.compile import compile_document
from kleis.documents.draw import MEDIA_TYPES, draw_picture
from kleis.documents.paper import Figure, Paper, Section, StatedVerdict, paper_text
from kleis.documents.stated_verdicts import stated_verdicts
from kleis.errors import EvaluationError, KleisError
from kleis.pictures.picture import Picture
from kleis.prover.process.deadline import Deadline
from kleis.sessions.computed_value import error_fields
from kleis.sessions.confined_evaluation import evaluate_confined
from kleis.sessions.files.universe import Universe
from kleis.sessions.sessions import Sessions
from kleis.syntax.parser.parser import parse_expression
from registry.server.contract.content import Image, ResourceBytes
from registry.server.contract.group import Answer, CallContext, Group, ResourceText, TemplateSpec, ToolSpec
from registry.server.contract.settings import Site
from registry.server.groups.documents import requests
from registry.server.groups.documents.answer_shapes import DocumentAnswer, PlotAnswer
from registry.server.groups.documents.tool_specs import BRIEF, INSTRUCTIONS, TOOLS

__all__ = ["DocumentsGroup", "make"]

_FILE = "<expression>"
_WITHIN = 40.0
_CHILD = Limits(wall=30.0, cpu=30)
_KEPT = 50
_KEPT_BYTES = 64 << 20

_TEMPLATES = (
    TemplateSpec(
        uri_template="kleis://plots/{name}",
        name="plot",
        title="A picture that draw_plot has drawn",
        mime_type=MEDIA_TYPES["svg"],
    ),
    TemplateSpec(
        uri_template="kleis://documents/{name}",
        name="document",
        title="A paper that assemble_document has made",
        mime_type="application/pdf",
    ),
)


def make(site: Site) -> Group:
    """The group over the sessions of the site's home."""
    return DocumentsGroup(site.sessions)


class DocumentsGroup(Group):
    """Pictures and papers over one workspace of sessions."""

    name = "documents"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._lock = threading.Lock()
        self._made: OrderedDict[str, ResourceBytes] = OrderedDict()

    def tools(self) -> tuple[ToolSpec, ...]:
        return TOOLS

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return _TEMPLATES

    def close(self) -> None:
        self._sessions.close()

    async def read(self, uri: str) -> ResourceText | ResourceBytes | None:
        with self._lock:
            found = self._made.get(uri)
        if found is not None and found.mime_type.startswith("text/"):
            return ResourceText(found.data.decode(), found.mime_type)
        return found

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        def running() -> bool:
            return not context.cancelled.is_set()

        return await context.run_in_worker(lambda: self._answer(arguments, running), lane="proofs")

    def _answer(self, arguments: requests.Request, running: Callable[[], bool]) -> Answer:
        try:
            match arguments:
                case requests.DrawPlot():
                    return self._draw(arguments, running)
                case requests.AssembleDocument():
                    return self._assemble(arguments, running)
                case _:
                    assert_never(arguments)
        except KleisError as error:
            fields = error_fields(error)
            hint = f"\n{error.hint}" if error.hint else ""
            return Answer(fields, f"{error.code}: {error.message}{hint}", is_error=True)

    def _draw(self, arguments: requests.DrawPlot, running: Callable[[], bool]) -> Answer:
        universe = self._sessions.universe(arguments.session)
        deadline = Deadline(_WITHIN / 2, left=lambda: not running())
        picture = self._picture(arguments.expression, universe, deadline)
        image = draw_picture(picture, "png", dark=arguments.dark, limits=_CHILD, running=running)
        vector = draw_picture(picture, "svg", dark=arguments.dark, limits=_CHILD, running=running)
        uri = f"kleis://plots/{picture.name}{'.dark' if arguments.dark else ''}.svg"
        self._keep(uri, ResourceBytes(vector, MEDIA_TYPES["svg"]))
        fields: PlotAnswer = {
            "status": "drawn",
            "session": arguments.session,
            "picture": picture.summary(),
            "uri": uri,
        }
        return Answer(fields, _encoded(fields), content=(Image(image),))

    def _assemble(self, arguments: requests.AssembleDocument, running: Callable[[], bool]) -> Answer:
        universe = self._sessions.universe(arguments.session)
        deadline = Deadline(_WITHIN / 2, left=lambda: not running())
        figures = tuple(
            Figure(self._picture(each.expression, universe, deadline), each.caption)
            for each in arguments.plots
        )
        verdicts = stated_verdicts(arguments.propositions, universe.theory, self._sessions.provers, deadline)
        text = paper_text(
            Paper(
                title=arguments.title,
                authors=tuple(arguments.authors),
                abstract=arguments.abstract,
                sections=tuple(Section(each.heading, each.text) for each in arguments.sections),
                declarations=tuple(entry.declaration for entry in universe.entries()),
                verdicts=verdicts,
                figures=figures,
                sources=tuple(universe.imported.imports),
            )
        )
        notes: Sequence[str] = ()
        if arguments.form == "typst":
            made = ResourceBytes(text.encode(errors="replace"), "text/x-typst")
        else:
            pictures = [each.picture for each in figures]
            compiled = compile_document(text, pictures, "pdf", limits=_CHILD, running=running)
            made, notes = ResourceBytes(compiled.pages[0], "application/pdf"), compiled.warnings
        return self._assembled(arguments, made, verdicts, figures, notes)

    def _assembled(
        self,
        arguments: requests.AssembleDocument,
        made: ResourceBytes,
        verdicts: Sequence[StatedVerdict],
        figures: Sequence[Figure],
        notes: Sequence[str],
    ) -> Answer:
        digest = hashlib.sha256(made.data).hexdigest()
        ending = "typ" if arguments.form == "typst" else "pdf"
        uri = f"kleis://documents/{digest[:16]}.{ending}"
        self._keep(uri, made)
        fields: DocumentAnswer = {
            "status": "assembled",
            "session": arguments.session,
            "form": arguments.form,
            "uri": uri,
            "bytes": len(made.data),
            "sha256": digest,
            "verdicts": [msgspec.to_builtins(each) for each in verdicts],
            "pictures": [each.picture.summary() for each in figures],
            "notes": list(notes),
        }
        return Answer(fields, _encoded(fields))

    def _picture(self, expression: str, universe: Universe, deadline: Deadline) -> Picture:
        """The last picture that an expression makes; an element alone is a picture too."""
        broker = self._sessions.provers.broker
        for text in (expression, f"diagram({expression})"):
            written = parse_expression(text, file=_FILE)
            found = evaluate_confined(written, universe.theory, broker, deadline, file=_FILE)
            if found.pictures:
                return found.pictures[-1]
        raise EvaluationError(
            "the expression makes no picture", code="plot", hint="write diagram(plot(xs, ys)) with numbers"
        )

    def _keep(self, uri: str, made: ResourceBytes) -> None:
        """Keep what was made, and drop the oldest beyond the limits."""
        with self._lock:
            self._made[uri] = made
            self._made.move_to_end(uri)
            while len(self._made) > 1 and (
                len(self._made) > _KEPT or sum(len(each.data) for each in self._made.values()) > _KEPT_BYTES
            ):
                self._made.popitem(last=False)


def _encoded(data: Any) -> str:
    return msgspec.json.encode(data).decode()

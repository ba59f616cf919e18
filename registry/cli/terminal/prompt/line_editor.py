"""The editor of lines: history, completion by Tab, abbreviations of symbols, statements of several lines, colours.

Enter ends a statement that is complete, and begins a new line in one that is not; an empty line ends it in any case.
Alt-Enter begins a new line always. What is pasted is one statement, whatever its lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.lexers import Lexer, PygmentsLexer
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from registry.cli.terminal.characters import visible
from registry.cli.terminal.prompt.history import FileHistory
from registry.cli.terminal.prompt.language import Language

__all__ = ["LineEditor"]

_ADVICE = "empty line ends it · ^C drops it"
_COLOURED = 20_000
"""Characters that are coloured and looked at while they are typed; longer ones are taken as they are."""

_REMARK = 60
_STYLE = Style.from_dict({"bottom-toolbar": "noreverse dim", "continuation": "ansibrightblack"})


class LineEditor:
    """Statements typed on a terminal."""

    interactive = True

    def __init__(self, language: Language, history: Path) -> None:
        self._language = language
        self._prompt = f"{language.name}> "
        self._session: PromptSession[str] = PromptSession(
            self._prompt,
            history=FileHistory(history),
            completer=ThreadedCompleter(_Completer(language)),
            complete_while_typing=False,
            lexer=_lexer(language.lexer),
            key_bindings=self._keys(),
            multiline=True,
            prompt_continuation=self._continuation,
            bottom_toolbar=self._advice,
            style=_STYLE,
            enable_history_search=False,
            reserve_space_for_menu=4,
        )

    def read(self) -> str:
        """The next statement."""
        return self._session.prompt()

    def _continuation(self, width: int, line: int, wrapped: int) -> StyleAndTextTuples:
        return [("class:continuation", "... ".rjust(min(width, get_cwidth(self._prompt))))]

    def _advice(self) -> str | None:
        """How to end a statement, once it has several lines."""
        document = self._session.default_buffer.document
        return _ADVICE if document.line_count > 1 else None

    def _is_open(self, document: Document) -> bool:
        """Whether Enter is to begin a new line."""
        text = document.text
        if not document.is_cursor_at_the_end and document.text_after_cursor.strip():
            return True
        if len(text) > _COLOURED or (document.line_count > 1 and not document.current_line.strip()):
            return False
        return self._language.completeness(text) == "incomplete"

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add(Keys.Enter)
        def enter(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            self._expand(event)
            if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
                buffer.complete_state = None
            elif self._is_open(buffer.document):
                buffer.newline(copy_margin=True)
            else:
                buffer.validate_and_handle()

        @keys.add(Keys.Escape, Keys.Enter)
        def new_line(event: KeyPressEvent) -> None:
            event.current_buffer.newline(copy_margin=True)

        @keys.add(Keys.Any)
        def typed(event: KeyPressEvent) -> None:
            if event.data and not event.data[0].isalpha():
                self._expand(event)
            event.current_buffer.insert_text(event.data * event.arg)

        @keys.add(Keys.ControlC)
        def drop(event: KeyPressEvent) -> None:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

        return keys

    def _expand(self, event: KeyPressEvent) -> None:
        """Replace the abbreviation that ends before the cursor by its symbol."""
        buffer = event.current_buffer
        before = buffer.document.text_before_cursor
        if len(before) > _COLOURED:
            return
        found = self._language.abbreviation(before)
        if found is not None:
            buffer.delete_before_cursor(found[0])
            buffer.insert_text(found[1])


class _Completer(Completer):
    """The candidates of a language, made safe to show."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        place = document.cursor_position
        start, found = self._language.complete(document.text, place)
        for text, remark in found:
            shown = visible(" ".join(remark.split()))[:_REMARK]
            yield Completion(text, start_position=start - place, display=visible(text), display_meta=shown)


def _lexer(address: str) -> Lexer | None:
    if not address:
        return None
    module, _, name = address.partition(":")
    return _Bounded(PygmentsLexer(getattr(import_module(module), name), sync_from_start=True))


class _Bounded(Lexer):
    """A lexer that leaves long texts plain."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer

    def lex_document(self, document: Document):  # type: ignore[no-untyped-def]
        if len(document.text) <= _COLOURED:
            return self._lexer.lex_document(document)
        lines = document.lines
        return lambda number: [("", lines[number])] if number < len(lines) else []

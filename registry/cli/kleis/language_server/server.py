"""The server: what it offers, and which answer goes with which message.

It is made of pygls, which reads and writes the messages.  Every handler is a coroutine, so that what a client cancels is
cancelled; what takes a while is done by `open_files` in threads and processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from kleis.errors import KleisError
from registry.cli.kleis.language_server import answers
from registry.cli.kleis.language_server import protocol_forms as forms
from registry.cli.kleis.language_server.open_files import OpenFile, OpenFiles
from registry.cli.kleis.language_server.project import Project
from registry.cli.kleis.language_server.reading import Reading

__all__ = ["CHECK_REQUEST", "run_server"]

CHECK_REQUEST = "kleis-lsp/check"
"""The request ``{"uri", "line"?}``: decides the propositions of a text, or those that a line (from 0) is in, and answers
``{"verdicts": [{"status", "word", "detail"}]}``.  Unlike a command it can be cancelled by ``$/cancelRequest``."""

_REFUSED = -32803
"""``RequestFailed`` of the protocol: the request was right, and the answer is no."""

logger = logging.getLogger(__name__)


def run_server(version: str, *, path: Sequence[Path] = (), timeout: float = 30.0) -> int:
    """Serve on standard input and output until the client ends it; the exit status."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_refusal)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what anything prints must not get between the messages
    service = _Service(version, path, timeout)
    service.server.start_io(source, target)
    return 0 if service.shut_down else 1


class _Service:
    """One server and the texts of its client."""

    def __init__(self, version: str, path: Sequence[Path], timeout: float) -> None:
        # Whole texts: pygls takes U+2028 and form feeds for ends of lines when it applies changes to parts.
        self.server = LanguageServer("kleis", version, types.TextDocumentSyncKind.Full)
        self.shut_down = False
        self._path = path
        self._timeout = timeout
        self._files: OpenFiles | None = None
        self._offer()

    @property
    def files(self) -> OpenFiles:
        """The open texts, once the client is there."""
        if self._files is None:
            folders = [
                Path(found)
                for each in self.server.workspace.folders.values()
                if (found := uris.to_fs_path(each.uri)) is not None
            ]
            root = self.server.workspace.root_path
            if not folders and root:
                folders = [Path(root)]
            units: Any = self.server.workspace.position_encoding
            self._files = OpenFiles(
                Project([each.resolve() for each in folders], path=self._path),
                self._changed,
                units=getattr(units, "value", units) or "utf-16",
                timeout=self._timeout,
            )
        return self._files

    def _offer(self) -> None:
        """Tell pygls what answers what."""
        offered: dict[str, tuple[Callable[[Any], Awaitable[Any]], Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: (self._opened, None),
            types.TEXT_DOCUMENT_DID_CHANGE: (self._text_changed, None),
            types.TEXT_DOCUMENT_DID_CLOSE: (self._closed, None),
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (self._disk_changed, None),
            types.SHUTDOWN: (self._shut_down, None),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_DEFINITION: (self._definition, None),
            types.TEXT_DOCUMENT_REFERENCES: (self._references, None),
            types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (self._highlights, None),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self._prepare_rename, None),
            types.TEXT_DOCUMENT_RENAME: (self._rename, types.RenameOptions(prepare_provider=True)),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self._symbols, None),
            types.TEXT_DOCUMENT_FORMATTING: (self._formatting, None),
            types.TEXT_DOCUMENT_COMPLETION: (
                self._completion,
                types.CompletionOptions(trigger_characters=["\\", "^", "_", ":", '"', "/"]),
            ),
            types.TEXT_DOCUMENT_CODE_ACTION: (
                self._code_actions,
                types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
            ),
            types.TEXT_DOCUMENT_CODE_LENS: (self._lenses, types.CodeLensOptions()),
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (
                self._tokens,
                types.SemanticTokensLegend(forms.TOKEN_TYPES, []),
            ),
            CHECK_REQUEST: (self._check_request, None),
        }
        for name, (answer, options) in offered.items():
            self.server.feature(name, options)(_handler(answer))
        commands: dict[str, Callable[..., Awaitable[Any]]] = {
            answers.CHECK: self._check,
            answers.CHECK_ALL: self._check_all,
            answers.STOP: self._stop,
        }
        for name, run in commands.items():
            self.server.command(name)(_command(run))

    # ── texts ────────────────────────────────────────────────────────────────────────────────────────────

    async def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        text = params.text_document
        self.files.open(text.uri, _path_of(text.uri), text.text, text.version)

    async def _text_changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = self.server.workspace.get_text_document(uri).source
        self.files.change(uri, text, params.text_document.version)

    async def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.files.close(uri)
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def _disk_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [_path_of(each.uri) for each in params.changes]
        self.files.disk_changed(each for each in paths if each is not None)

    async def _shut_down(self, *_: object) -> None:
        self.shut_down = True
        if self._files is not None:
            await self._files.stop()

    def _changed(self, file: OpenFile) -> None:
        """Something is known anew about a text: publish its diagnostics, and have the lenses asked for again."""
        reading = file.last
        if (
            reading is None
            or self.files.files.get(file.uri) is not file
            or reading.document.text != file.text
        ):
            return
        found = forms.diagnostics(reading, file.problems, file.uri)
        found += answers.verdict_diagnostics(reading, lambda each: file.outcome_of(reading, each))
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(file.uri, found, file.version)
        )
        workspace = self.server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None, callback=_ignored)

    async def _at(self, uri: str, position: types.Position) -> tuple[Reading, int] | None:
        reading = await self.files.reading(uri)
        if reading is None:
            return None
        return reading, reading.lines.offset(position.line, position.character)

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        found = await self._at(uri, params.position)
        file = self.files.files.get(uri)
        if found is None or file is None:
            return None
        text = self.server.client_capabilities.text_document
        formats = text.hover.content_format if text and text.hover and text.hover.content_format else []
        return await self.files.in_thread(
            answers.hover,
            self.files.project,
            *found,
            file,
            markdown=types.MarkupKind.Markdown in formats,
        )

    async def _definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        uri = params.text_document.uri
        found = await self._at(uri, params.position)
        if found is None:
            return None
        return await self.files.in_thread(answers.definitions, self.files.project, *found, uri)

    async def _references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        uri = params.text_document.uri
        found = await self._at(uri, params.position)
        if found is None:
            return None
        return await self.files.in_thread(
            answers.references,
            self.files.project,
            *found,
            uri,
            declaration=params.context.include_declaration,
        )

    async def _highlights(
        self, params: types.DocumentHighlightParams
    ) -> list[types.DocumentHighlight] | None:
        found = await self._at(params.text_document.uri, params.position)
        return None if found is None else await self.files.in_thread(answers.highlights, *found)

    async def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        found = await self._at(params.text_document.uri, params.position)
        if found is None:
            return None
        return await self.files.in_thread(answers.rename_range, self.files.project, *found)

    async def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri = params.text_document.uri
        found = await self._at(uri, params.position)
        if found is None:
            return None
        return await self.files.in_thread(answers.rename, self.files.project, *found, params.new_name, uri)

    async def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        reading = await self.files.reading(params.text_document.uri)
        return None if reading is None else await self.files.in_thread(answers.document_symbols, reading)

    async def _formatting(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        reading = await self.files.reading(params.text_document.uri)
        return None if reading is None else await self.files.in_thread(answers.formatting, reading)

    async def _completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """What may stand at a place, by the text as it is and the names of its last reading: nobody waits for a key."""
        uri = params.text_document.uri
        file = self.files.files.get(uri)
        if file is not None and file.last is None:
            await self.files.reading(uri)
        if file is None or file.last is None:
            return None
        position = (params.position.line, params.position.character)
        return await asyncio.get_running_loop().run_in_executor(
            None, answers.completion, file.text, position, file.last
        )

    async def _code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        uri = params.text_document.uri
        reading = await self.files.reading(uri)
        file = self.files.files.get(uri)
        if reading is None or file is None:
            return None
        ends = (params.range.start, params.range.end)
        start, end = (reading.lines.offset(each.line, each.character) for each in ends)
        problems = file.problems if file.last is reading else reading.problems
        return await self.files.in_thread(
            answers.quick_fixes, self.files.project, reading, problems, start, end, uri
        )

    async def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        uri = params.text_document.uri
        reading = await self.files.reading(uri)
        file = self.files.files.get(uri)
        return None if reading is None or file is None else answers.lenses(reading, file)

    async def _tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        reading = await self.files.reading(params.text_document.uri)
        if reading is None:
            return None
        data = await self.files.in_thread(forms.semantic_tokens, reading.document, reading.lines)
        return types.SemanticTokens(data)

    # ── verdicts ─────────────────────────────────────────────────────────────────────────────────────────

    async def _check(self, uri: str = "", key: str = "") -> dict[str, Any]:
        return _verdicts(await self.files.check(uri, lambda each: each.key == key))

    async def _check_all(self, uri: str = "") -> dict[str, Any]:
        return _verdicts(await self.files.check(uri, lambda each: True))

    async def _stop(self, uri: str = "", key: str = "") -> None:
        self.files.stop_checks(uri, lambda each: each.endswith(key))

    async def _check_request(self, params: Any) -> dict[str, Any]:
        uri, line = getattr(params, "uri", ""), getattr(params, "line", None)
        reading = await self.files.reading(uri)
        if reading is None:
            return _verdicts([])
        lines = reading.lines

        def wanted(each: Any) -> bool:
            ends = lines.position(each.start).line, lines.position(each.end).line
            return line is None or ends[0] <= line <= ends[1]

        keys = {each.key for each in reading.propositions if wanted(each)}
        return _verdicts(await self.files.check(uri, lambda each: each.key in keys))


def _verdicts(found: Sequence[Any]) -> dict[str, Any]:
    return {"verdicts": [{"status": each.status, "word": each.word, "detail": each.detail} for each in found]}


def _handler(answer: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """A handler as pygls wants it: a function of its own, on which it sets attributes."""

    async def handle(params: Any = None) -> Any:
        with _refusing():
            return await answer(params)

    return handle


def _command(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """A command as pygls wants it."""

    async def handle(*arguments: Any) -> Any:
        with _refusing():
            return await run(*arguments[:2])

    return handle


@contextlib.contextmanager
def _refusing() -> Any:
    """What is refused is an answer of the protocol, which the editor shows."""
    try:
        yield
    except KleisError as error:
        text = f"{error.message}; {error.hint}" if error.hint else error.message
        raise JsonRpcException(text, _REFUSED) from error


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Whether a message of pygls is about a mistake: an answer that refuses is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code == _REFUSED)


def _path_of(uri: str) -> Path | None:
    """The real path of a text that is a file."""
    found = uris.to_fs_path(uri) if uri.startswith("file:") else None
    try:
        return None if not found else Path(found).resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _ignored(*_: object) -> None:
    """The client's answer to a request that says nothing."""

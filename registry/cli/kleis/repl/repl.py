"""`kleis repl`: a prompt over a theory session of the home.

A person goes on with the session of the last time; a script (standard input that is no terminal) has one of its own,
which is gone afterwards, unless one is named. Files on the command line are imported first.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from kleis.conversation.commands import COMMANDS, Command, find_command
from kleis.conversation.conversation import Conversation
from kleis.conversation.interruption import Interrupted, interruptible
from kleis.conversation.reply import Outcome, Reply, exit_status
from kleis.editing.abbreviations import ABBREVIATIONS, abbreviation_before
from kleis.editing.completion import completions
from kleis.editing.statements import Statement, completeness, statements
from kleis.errors import KleisError, ParseError
from kleis.sessions.sessions import open_sessions
from kleis.syntax.parser.lexer import tokenize
from kleis.theory.library_index import library_files
from kleis.theory.parse_cache import user_cache
from kleis.theory.theory import Theory
from registry.cli.kleis.repl.print_reply import print_reply
from registry.cli.kleis.shared.patience import tried
from registry.cli.terminal.live_line import LiveLine
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.process import USAGE
from registry.cli.terminal.prompt.language import Language
from registry.cli.terminal.prompt.loop import converse
from registry.cli.terminal.prompt.reader import Reader, open_reader
from registry.cli.terminal.screen import Screen
from registry.home import find_home
from registry.store.shared_state import certificate_files

__all__ = ["DEFAULT_SESSION", "ReplRequest", "repl"]

DEFAULT_SESSION = "repl"

_MORE = (Command("quit", "", "end; ^D does so too. What is declared stays in the session"),)


class ReplRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    files: Sequence[str] = ()
    session: str | None = None
    home: Path | None = None
    timeout: float | None = None
    effort: int = 1
    granted: Path | None = None


def repl(request: ReplRequest) -> int:
    """Talk until the end; the exit status."""
    home = find_home(request.home).path
    with ExitStack() as ending:
        reader_language = _Language()
        reader = open_reader(reader_language.language(), home / "history" / "kleis")
        workspace: Path | None = None
        if not reader.interactive and request.session is None:
            workspace = Path(ending.enter_context(TemporaryDirectory(prefix="kleis-")))
        sessions = open_sessions(
            home,
            roots=(Path.cwd(), Path("/")),
            cache=user_cache(),
            workspace=workspace,
            certificates=certificate_files(home),
        )
        ending.callback(sessions.close)
        conversation = Conversation(
            sessions,
            request.session or DEFAULT_SESSION,
            timeout=request.timeout,
            effort=request.effort,
            granted_root=request.granted,
        )
        reader_language.conversation = conversation
        try:
            sessions.prepare()
            held = sessions.universe(conversation.name).count
        except KleisError as error:
            print_error(f"error  {error}", style="bad")
            return USAGE
        if reader.interactive:
            _welcome(conversation, held)
        prompt = _Prompt(conversation, reader)
        if request.files:
            loaded = [*prompt.answer(f":load {shlex.join(request.files)}")]
            if loaded != ["held"] and not reader.interactive:
                return exit_status(loaded)
        return converse(reader, prompt.answer)


def _welcome(conversation: Conversation, held: int) -> None:
    """What a person is told first."""
    what = (
        f"{held} declaration{'s' if held != 1 else ''}; :reset begins anew"
        if held
        else "nothing declared yet"
    )
    print_error(f"Kleis. Session {conversation.name}: {what}. :help, :quit", style="quiet")


class _Prompt:
    """Answers the statements of one text, with what is being tried on one line of the terminal."""

    def __init__(self, conversation: Conversation, reader: Reader) -> None:
        self._conversation = conversation
        self._interactive = reader.interactive
        self._screen = Screen()

    def answer(self, text: str) -> Iterator[Outcome]:
        """Print the replies to a text; what comes after a statement that is wrong is left out."""
        found = statements(text)
        for place, statement in enumerate(found, 1):
            reply = self._reply(statement)
            if statement.text.lstrip(":").strip() in ("help", "h"):
                _say_more(self._screen)
            print_reply(self._screen, reply)
            yield reply.outcome
            if reply.outcome == "ill-formed" and place < len(found):
                left = len(found) - place
                print_error(f"{left} more statement{'s' if left > 1 else ''} left out", style="note")
                return

    def _reply(self, statement: Statement) -> Reply:
        """The reply to one statement. Raises `Interrupted` where the person has given it up."""
        conversation = self._conversation
        provers = conversation.sessions.provers
        begun = time.monotonic()
        with (
            LiveLine(lambda: tried(provers, time.monotonic() - begun)),
            interruptible(conversation.timeout) as deadline,
        ):
            reply = conversation.reply(statement, deadline)
        if deadline.abandoned:
            raise Interrupted
        return reply


def _say_more(screen: Screen) -> None:
    screen.write(
        "Declarations, propositions and expressions are answered as they are; \\forall stands for ∀."
    )
    screen.write(*(f"{each.usage.ljust(28)}{each.summary}" for each in _MORE))


class _Language:
    """How Kleis is typed at a prompt."""

    def __init__(self) -> None:
        self.conversation: Conversation | None = None
        """The one that the prompt is for, once it is there."""

    def language(self) -> Language:
        """For a reader."""
        return Language(
            name="kleis",
            completeness=completeness,
            statements=lambda text: (each.text for each in statements(text)),
            complete=self._complete,
            abbreviation=_abbreviation,
            lexer="kleis.editing.pygments_lexer:KleisLexer",
        )

    def _complete(self, text: str, place: int) -> tuple[int, list[tuple[str, str]]]:
        if text.startswith(":"):
            found = self._complete_command(text[:place])
            if found is not None:
                return found
        start, candidates = completions(text, place, self._theory())
        return start, [(each.text, each.detail or each.kind) for each in candidates]

    def _complete_command(self, before: str) -> tuple[int, list[tuple[str, str]]] | None:
        """The commands, files and sessions that may stand there; None where Kleis is typed."""
        name, space, argument = before[1:].partition(" ")
        if not space:
            known = [each for each in (*COMMANDS, *_MORE) if each.name.startswith(name)]
            return 1, [(each.name, each.summary) for each in known]
        try:
            takes = find_command(name.rstrip("!")).takes
        except ParseError:
            return len(before), []
        word = argument.rpartition(" ")[2]
        start = len(before) - len(word)
        if takes == "session":
            names = self.conversation.sessions.names() if self.conversation is not None else []
            return start, [(each, "session") for each in names if each.startswith(word)]
        if takes == "file":
            return start, [
                *_files(word),
                *((each, "library") for each in library_files() if each.startswith(word)),
            ]
        return None

    def _theory(self) -> Theory:
        try:
            return Theory() if self.conversation is None else self.conversation.theory
        except KleisError:
            return Theory()


def _files(beginning: str) -> Iterator[tuple[str, str]]:
    """The directories and theories that begin so."""
    directory = Path(beginning).parent if not beginning.endswith("/") else Path(beginning)
    try:
        found = sorted(directory.iterdir())[:2_000]
    except OSError:
        return
    for each in found:
        shown = f"{each}/" if each.is_dir() else str(each)
        if (
            shown.startswith(beginning)
            and not each.name.startswith(".")
            and (each.is_dir() or each.suffix == ".kleis")
        ):
            yield shown, "directory" if each.is_dir() else "file"


def _abbreviation(before: str) -> tuple[int, str] | None:
    """The symbol of the abbreviation that a text ends in, outside of strings and comments."""
    found = abbreviation_before(before, len(before))
    if found is None or found[1] not in ABBREVIATIONS:
        return None
    tokens = tokenize(before)
    last = tokens.kinds[-2] if len(tokens) > 1 else ""
    in_comment = bool(tokens.comments) and tokens.comments[-1][1] == len(before)
    if last in ("!string", "!comment") or in_comment:
        return None
    return len(before) - found[0], ABBREVIATIONS[found[1]]

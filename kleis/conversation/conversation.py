"""Statements put to a theory session, a reply each.

See docs/reference/interactive.md.

Invariants
    * The session's file is the truth, as everywhere: what was accepted is there, also if this process is killed.
    * No statement raises but by `Interrupted` and the end of the process: what is wrong is a reply.
    * Nothing is kept of a statement that was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kleis.conversation import replies
from kleis.conversation.commands import find_command, help_text, split_command
from kleis.conversation.expression_types import declared_as, type_lines
from kleis.conversation.reply import Reply
from kleis.editing.statements import Statement, statements
from kleis.errors import KleisError, LoadError, ParseError
from kleis.prover.process.deadline import Deadline
from kleis.sessions.evaluate_expression import decide, evaluate
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.imported_theory import PRELUDE
from kleis.sessions.files.record import plain_text
from kleis.sessions.files.universe import Universe, item_file
from kleis.sessions.sessions import Sessions
from kleis.syntax import tree
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.pictures.picture import Picture

__all__ = ["LONGEST_TIMEOUT", "Conversation"]

LONGEST_TIMEOUT = 86_400.0
MOST_EFFORT = 100


class Conversation:
    """A session and what is asked of it.

    name
        The session's; `:session` changes it.
    timeout, effort
        The most seconds for an answer (None: no limit), and by how much to search more.
    """

    def __init__(
        self,
        sessions: Sessions,
        name: str,
        *,
        timeout: float | None = None,
        effort: int = 1,
        granted_root: Path | None = None,
    ) -> None:
        self.sessions = sessions
        self.name = name
        self.timeout = timeout
        self.effort = effort
        self._granted = granted_root

    @property
    def theory(self) -> Theory:
        """The declarations in scope. Raises `KleisError` where the session cannot be read."""
        return self.sessions.theory(self.name)

    def replies(self, text: str, deadline: Deadline) -> Iterator[Reply]:
        """A reply to each statement of a text, when it is there; later statements see what earlier ones declared."""
        for statement in statements(text):
            yield self.reply(statement, deadline)

    def reply(self, statement: Statement, deadline: Deadline) -> Reply:
        """The reply to one statement."""
        try:
            match statement.kind:
                case "command":
                    return self._command(statement.text, deadline)
                case "import":
                    return self._import(statement.text, deadline)
                case "declarations":
                    checked, universe = self.sessions.submit(self.name, statement.text, None, deadline)
                    return replies.submitted(checked, universe, statement.text)
                case "example":
                    return self._example(statement.text, deadline)
                case "question":
                    return self._question(statement.text, deadline)
        except KleisError as error:
            return replies.refused(error, statement.text)
        except OSError as error:
            problem = LoadError(f"{error.filename or 'a file'}: {error.strerror or error}", code="file")
            return replies.refused(problem, statement.text)

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────

    def _question(self, text: str, deadline: Deadline) -> Reply:
        pictures: list[Picture] = []
        answer = evaluate(
            self._universe(),
            text,
            self.sessions.provers,
            deadline,
            effort=self.effort,
            granted_root=self._granted,
            importing="statement",
            pictures=pictures,
        )
        return replies.evaluated(answer, text, pictures=tuple(pictures))

    def _decide(self, proposition: str, text: str, deadline: Deadline, *, explain: bool) -> Reply:
        answer = decide(
            self._universe(),
            proposition,
            self.sessions.provers,
            deadline,
            effort=self.effort,
            explain=explain,
            importing="statement",
        )
        return replies.evaluated(answer, text)

    def _import(self, text: str, deadline: Deadline) -> Reply:
        from kleis.syntax.parser.parser import parse_program

        items = parse_program(text, file=item_file(self.name, self._universe().count + 1)).items
        return self._load([each.path for each in items if isinstance(each, tree.Import)], text, deadline)

    def _load(self, files: Sequence[str], text: str, deadline: Deadline) -> Reply:
        names = [str(Path(each).resolve()) if Path(each).is_file() else each for each in files]
        found, failed, universe = self.sessions.add_imports(self.name, names, deadline)
        return replies.imported(found, failed, universe, text)

    def _example(self, text: str, deadline: Deadline) -> Reply:
        from kleis.budget import STANDARD_BUDGET
        from kleis.evaluator.environment import environment_of
        from kleis.evaluator.examples import run_example
        from kleis.syntax.parser.parser import parse_program

        universe = self._universe()
        file = item_file(self.name, universe.count + 1)
        (example,) = parse_program(text, file=file).items
        assert isinstance(example, tree.Example), "statements tells examples from declarations"
        environment = environment_of(universe.theory, granted_root=self._granted)
        result = run_example(environment, example, STANDARD_BUDGET, file=file)
        rows = [each.as_dict() for each in result.assertions]
        asserted = [each for each in example.statements if isinstance(each, tree.Assertion)]
        for row, assertion in zip(rows, asserted, strict=False):
            if row["status"] == "undecided":
                row["status"], row["detail"] = self._asserted(universe, example, assertion, file, deadline)
        return replies.example_reply(result, rows, text)

    def _asserted(
        self,
        universe: Universe,
        example: tree.Example,
        assertion: tree.Assertion,
        file: str,
        deadline: Deadline,
    ) -> tuple[str, str]:
        """How an assertion that computing leaves open comes out, by the prover."""
        from kleis.prover.reasons import within
        from kleis.sessions.assertions import outcome_of, question_of
        from kleis.sessions.stated_lemmas import serving_lemmas

        proposition = question_of(example, assertion)
        if proposition is None:
            return "unknown", "ask about a whole file with kleis test"
        with self.sessions.provers.prover(universe.theory, deadline, effort=self.effort) as prover:
            facts = serving_lemmas(universe, prover).facts
            verdict = prover.verify(proposition, file=file, facts=facts)
        return outcome_of(assertion.kind, within(deadline, verdict))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────

    def _command(self, text: str, deadline: Deadline) -> Reply:
        name, argument = split_command(text)
        overwrite = name.endswith("!")
        command = find_command(name.rstrip("!?"))
        if command.argument and not argument and command.name not in ("help", "session"):
            raise ParseError(f"{command.usage}: {command.summary}", code="missing-argument", found=text[:80])
        call: Callable[[str, str, Deadline], Reply] = {
            "prove": lambda asked, text, deadline: self._decide(asked, text, deadline, explain=False),
            "explain": lambda asked, text, deadline: self._decide(asked, text, deadline, explain=True),
            "model": self._model,
            "type": self._type,
            "show": self._show,
            "list": lambda _, text, __: replies.listing(self._universe(), text),
            "load": lambda files, text, deadline: self._load(_files(files), text, deadline),
            "undo": self._undo,
            "reset": self._reset,
            "save": lambda name, text, _: self._save(name, text, overwrite=overwrite),
            "session": self._session,
            "timeout": self._timeout,
            "effort": self._effort,
            "help": self._help,
        }[command.name]
        return call(argument, text, deadline)

    def _model(self, asked: str, text: str, deadline: Deadline) -> Reply:
        from kleis.sessions.find_models import find, models_fields, wanted_models

        about, *conditions = (each.strip() for each in asked.split(";"))
        wanted = wanted_models(about, where=[each for each in conditions if each])
        found = find(wanted, self._universe().theory, self.sessions.provers, deadline, effort=self.effort)
        if found.status == "error":
            problem = found.problem or {"message": found.message, "hint": found.advice}
            return replies.evaluated({"status": "error", "error": found.message, "problem": problem}, text)
        reply = replies.evaluated(models_fields(found), text)
        return Reply("models", reply.fields, reply.outcome, text)

    def _type(self, asked: str, text: str, deadline: Deadline) -> Reply:
        return Reply("declarations", {"lines": type_lines(asked, self.theory)}, "held", text)

    def _show(self, name: str, text: str, deadline: Deadline) -> Reply:
        return Reply("declarations", {"lines": declared_as(name, self.theory)}, "held", text)

    def _undo(self, _: str, text: str, deadline: Deadline) -> Reply:
        item, universe = self.sessions.undo(self.name, deadline)
        return replies.message(
            f"undone: {item.text}", text, status="undone", count=universe.count, undone=item.text
        )

    def _reset(self, _: str, text: str, deadline: Deadline) -> Reply:
        held = self._universe().count
        self.sessions.load(self.name, [PRELUDE], deadline)
        dropped = f"; {held} declaration{'s' if held != 1 else ''} dropped" if held else ""
        return replies.message(f"the session {self.name} begins anew{dropped}", text, status="reset")

    def _save(self, wanted: str, text: str, *, overwrite: bool) -> Reply:
        if os.sep not in wanted and not wanted.endswith(".kleis"):
            path = self.sessions.save(self.name, wanted, overwrite=overwrite)
            said = f'saved as {path.stem}: import "{path.stem}.kleis" imports it'
            return replies.message(said, text, status="saved", path=str(path))
        path = Path(wanted).expanduser()
        universe = self._universe()
        body = plain_text(
            universe.imported.imports, universe.items(), title=f"Saved from the session {self.name}."
        )
        try:
            with open(path, "w" if overwrite else "x", encoding="utf-8") as file:
                file.write(body)
        except FileExistsError:
            raise SessionError(
                f"{path} is there already",
                code="save-exists",
                found=str(path),
                hint=f"replace it with :save! {wanted}",
            ) from None
        return replies.message(f"saved in {path}", text, status="saved", path=str(path))

    def _session(self, name: str, text: str, deadline: Deadline) -> Reply:
        if not name:
            names = dict.fromkeys((*self.sessions.names(), self.name))
            lines = [f"{'* ' if each == self.name else '  '}{each}" for each in names]
            return Reply("declarations", {"lines": lines}, "held", text)
        universe = self.sessions.universe(name)
        self.name = name
        return replies.listing(universe, text)

    def _timeout(self, given: str, text: str, deadline: Deadline) -> Reply:
        if given in ("off", "none"):
            self.timeout = None
            return replies.message("answers take what time they need", text)
        self.timeout = _number(given, text, LONGEST_TIMEOUT)
        return replies.message(f"an answer takes at most {self.timeout:g} s", text)

    def _effort(self, given: str, text: str, deadline: Deadline) -> Reply:
        self.effort = int(_number(given, text, MOST_EFFORT, least=1))
        return replies.message(f"the prover searches {self.effort} times as much as it is published to", text)

    def _help(self, name: str, text: str, deadline: Deadline) -> Reply:
        if not name:
            lines = help_text().splitlines()
        elif name.startswith(":"):
            command = find_command(name.removeprefix(":"))
            lines = [f"{command.usage}   {command.summary}"]
        else:
            lines = type_lines(name, self.theory)
        return Reply("declarations", {"lines": lines}, "held", text)

    def _universe(self) -> Universe:
        return self.sessions.universe(self.name)


def _files(text: str) -> list[str]:
    """The files of ``:load``: words, or texts in quotation marks."""
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        raise ParseError(f"{text[:80]}: {error}", code="bad-file", hint='write "…" around a name') from None


def _number(given: str, text: str, most: float, *, least: float = 0.001) -> float:
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise ParseError(
            f"{text}: a number from {least:g} to {most:g} is meant", code="bad-number", found=given[:40]
        )
    return number

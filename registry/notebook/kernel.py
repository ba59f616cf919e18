"""The kernel of Kleis: cells are statements of a conversation, whose session is gone with the kernel.

An interrupt stops the provers, keeps the session and ends the cell; a restart forgets. `python -m registry.notebook`
is what Jupyter starts.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import version
from typing import Any, ClassVar

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

from kleis.conversation.commands import COMMANDS
from kleis.conversation.conversation import Conversation
from kleis.conversation.expression_types import declared_as, type_lines
from kleis.conversation.interruption import Interrupted, interruptible
from kleis.conversation.reply import Reply
from kleis.editing.completion import Candidate, completions
from kleis.editing.statements import completeness, statements
from kleis.errors import KleisError
from kleis.syntax.parser.lexer import is_word
from registry.notebook.display import pictures, plain_text, reply_data
from registry.notebook.session import notebook_conversation
from registry.views import parts

__all__ = ["KleisKernel", "main"]

_MEDIA_TYPE = "text/x-kleis"


class KleisKernel(Kernel):  # type: ignore[misc]
    """The kernel."""

    implementation = "kleis"
    implementation_version = version("pif-kleis")
    language_info: ClassVar[dict[str, Any]] = {
        "name": "kleis",
        "version": implementation_version,
        "mimetype": _MEDIA_TYPE,
        "file_extension": ".kleis",
        "pygments_lexer": "kleis",
    }
    banner = "Kleis: declare, prove and compute. :help lists the commands; \\forall and Tab give ∀."

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._ending = ExitStack()
        self._conversation: Conversation = self._ending.enter_context(notebook_conversation())

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
    ) -> dict[str, Any]:
        """Answer a cell, statement by statement, up to the first that is wrong."""
        try:
            for statement in statements(code):
                with interruptible(self._conversation.timeout) as deadline:
                    reply = self._conversation.reply(statement, deadline)
                if deadline.abandoned:
                    raise Interrupted
                if reply.fields.get("status") in ("error", "rejected"):
                    return self._failed(reply, silent)
                if not silent:
                    self._show(reply)
        except (Interrupted, KeyboardInterrupt):
            return self._error("Interrupted", "nothing was kept of the statement", [], silent)
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": [],
            "user_expressions": {},
        }

    def _show(self, reply: Reply) -> None:
        """Send a reply; where it drew pictures, these in its place."""
        drawn: list[dict[str, str]] = []
        if reply.pictures:
            try:
                with interruptible() as deadline:
                    drawn = pictures(reply, lambda: not deadline.abandoned)
            except KleisError as error:
                self._send("stream", {"name": "stderr", "text": f"{error}\n"})
        for data in drawn or [reply_data(reply)]:
            if reply.kind == "evaluation":
                content = {"data": data, "metadata": {}, "execution_count": self.execution_count}
                self._send("execute_result", content)
            else:
                self._send("display_data", {"data": data, "metadata": {}})

    def _failed(self, reply: Reply, silent: bool) -> dict[str, Any]:
        """A statement that is wrong: what, where, what to try."""
        problems = (
            [reply.fields["problem"]] if reply.fields.get("problem") else reply.fields.get("problems", [])
        )
        problem: dict[str, Any] = problems[0] if problems else {}
        name = str(problem.get("code", reply.fields["status"]))
        said = str(problem.get("message") or reply.fields.get("error", ""))
        return self._error(name, said, plain_text(reply).splitlines(), silent)

    def _error(self, name: str, value: str, lines: list[str], silent: bool) -> dict[str, Any]:
        error = {"ename": name, "evalue": value, "traceback": lines or [f"{name}: {value}"]}
        if not silent:
            self._send("error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """What may stand at the cursor; a symbol once its abbreviation is whole, abbreviations before."""
        start, found = self._candidates(code, cursor_pos)
        typed = code[start:cursor_pos]
        symbols = [each for each in found if each.kind == "symbol"]
        whole = [each for each in symbols if each.detail == typed]
        matches = [(each.text, each) for each in whole or found]
        if symbols and not whole:
            matches = [(each.detail, each) for each in symbols]
        kinds = [
            {"start": start, "end": cursor_pos, "text": shown, "type": each.kind, "signature": each.detail}
            for shown, each in matches
        ]
        return {
            "status": "ok",
            "matches": [shown for shown, _ in matches],
            "cursor_start": start,
            "cursor_end": cursor_pos,
            "metadata": {"_jupyter_types_experimental": kinds},
        }

    def _candidates(self, code: str, place: int) -> tuple[int, list[Candidate]]:
        line = code[code.rfind("\n", 0, place) + 1 : place]
        if line.startswith(":") and " " not in line:
            names = [each for each in COMMANDS if each.name.startswith(line[1:])]
            return place - len(line), [Candidate(f":{each.name}", "keyword", each.summary) for each in names]
        try:
            return completions(code, place, self._conversation.theory)
        except KleisError:
            return place, []

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """The declarations of the name at the cursor, or the help of a built-in."""
        start = end = min(cursor_pos, len(code))
        while start and is_word("x" + code[start - 1]):
            start -= 1
        while end < len(code) and is_word("x" + code[end]):
            end += 1
        name = code[start:end]
        found = {"status": "ok", "found": False, "data": {}, "metadata": {}}
        if not name or not is_word(name):
            return found
        try:
            theory = self._conversation.theory
            lines = declared_as(name, theory) if detail_level else type_lines(name, theory)
        except KleisError:
            return found
        said = "\n".join(lines)
        return {**found, "found": True, "data": {"text/plain": said, "text/html": str(parts.code(said))}}

    async def do_is_complete(self, code: str) -> dict[str, str]:
        """Whether a cell can be answered as it is."""
        found = completeness(code)
        if found == "incomplete":
            return {"status": "incomplete", "indent": ""}
        return {"status": "invalid" if found == "invalid" else "complete"}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        """End the provers and forget the session."""
        self._ending.close()
        return {"status": "ok", "restart": restart}


def main() -> None:
    """Run a kernel, with the connection file of the command line."""
    IPKernelApp.launch_instance(kernel_class=KleisKernel)

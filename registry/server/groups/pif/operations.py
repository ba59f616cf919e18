"""What the tools of the group do but `run`, `help` and `fuzz`: operations of the workspace, and tools to and from other places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.prover.process.deadline import Deadline
from pif.analysis.facts import facts_of
from pif.language.decode import decode_term
from pif.language.errors import PifError
from pif.run.evaluate import Answer as Result
from registry.errors import RegistryError
from registry.records import valid_name
from registry.store.failures import store_errors
from registry.workspace import requests
from registry.workspace.workspace import Workspace

if TYPE_CHECKING:
    from registry.sharing.ledger import LedgerFile
    from registry.sharing.service import SharingService

__all__ = ["Exchange", "Places", "asked_for", "performed", "with_origin"]


def asked_for(arguments: Any) -> tuple[str, ...]:
    """The tools that a call asks for by name, in its arguments or in a term among them."""
    match arguments:
        case requests.Run(tool=str(name)):
            return (name,)
        case requests.Run(code=code) | requests.Analyze(code=code):
            return (code,) if isinstance(code, str) else _named_in(code)
        case requests.Evolve(code=code):
            return _named_in(code)
        case requests.Diff(name=name, against=against):
            return (name,) if against is None else (name, against)
        case requests.Fuzz(name=name) | requests.CheckLaws(name=name):
            return (name,)
        case _:
            return ()


def _named_in(code: Any) -> tuple[str, ...]:
    """The tools that a term names; none in what is no term."""
    if not isinstance(code, dict | list):
        return ()
    try:
        return tuple(facts_of(decode_term(code)).tools)
    except PifError:
        return ()  # the call says what is wrong with it


class Exchange:
    """The directories that agents may export to and import from: plain names in one place beside the registry."""

    def __init__(self, home: Path) -> None:
        self._root = home / "exchange"

    def __call__(self, name: str) -> Path:
        if not valid_name(name) or ".." in name:
            raise RegistryError(
                "invalid_argument",
                "`directory` is a plain name, not a path",
                place="directory",
                found=name[:80],
                expected="letters, digits, _ . -, at most 48",
                hint=f"It stands for a directory in {self._root}.",
            )
        with store_errors(self._root):
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._root / name


class Places(msgspec.Struct, frozen=True):
    """Where `export` and `import` work: directories, and other registries where the server shares with any."""

    exchange: Callable[[str], Path]
    sharing: Callable[[], SharingService] | None
    ledger: LedgerFile | None = None

    def registries(self) -> SharingService:
        """What is shared. Raises `not_allowed` where nothing is."""
        if self.sharing is None:
            raise RegistryError("not_allowed", "this server shares no tools", place="share")
        return self.sharing()


def performed(
    workspace: Workspace, places: Places, name: str, arguments: Any, *, deadline: Deadline
) -> Result:
    """The result of a tool of the group but `run`, `help` and `fuzz`."""
    try:
        return _answered(workspace, places, name, arguments, deadline)
    except RegistryError as error:
        return {"type": "error", "error": error.as_json()}


def _answered(workspace: Workspace, places: Places, name: str, arguments: Any, deadline: Deadline) -> Result:
    match name:
        case "evolve":
            return workspace.evolve(arguments, deadline=deadline)
        case "list":
            return workspace.list(arguments)
        case "analyze":
            return with_origin(workspace.analyze(arguments, deadline=deadline), workspace, places.ledger)
        case "history":
            return workspace.history(arguments.name)
        case "diff":
            return workspace.diff(arguments.name, arguments.against)
        case "check_laws":
            return workspace.check_laws(arguments.name, progress=deadline.report)
        case "rollback":
            return workspace.rollback(arguments)
        case "forget":
            return workspace.forget(arguments.name)
        case "export" | "import":
            return _exchanged(workspace, places, arguments, deadline)
        case _:
            raise LookupError(f"the group pif has no tool {name}")


def with_origin(answer: Result, workspace: Workspace, ledger: LedgerFile | None) -> Result:
    """An answer about a tool, with whose it is, who signed it, from where and when it came, if it came from elsewhere."""
    named = answer.get("tool") or answer.get("name")
    if ledger is None or answer["type"] not in ("analysis", "tool") or not isinstance(named, str):
        return answer
    record = workspace.tools().find(f"{named}@{answer['version']}" if answer["type"] == "tool" else named)
    try:
        origin = None if record is None else ledger.origin(record.reference, record.hash)
    except RegistryError as error:
        return {**answer, "origin": {"unknown": error.message}}
    return answer if origin is None else {**answer, "origin": origin.as_json()}


def _exchanged(
    workspace: Workspace, places: Places, arguments: requests.Export | requests.Import, deadline: Deadline
) -> Result:
    """Tools to and from a directory, or another registry: the arguments say which."""
    match arguments:
        case requests.Export(directory="", share=True, objects=[]):
            return places.registries().root()
        case requests.Export(directory="", share=False, objects=[_, *_]):
            return places.registries().objects(arguments.objects)
        case requests.Import(directory="", root=root, objects=[_, *_], after=None) if root:
            return places.registries().stage(root, arguments.objects)
        case requests.Import(directory="", root=root, objects=[], after=None) if root:
            there = places.registries()
            if arguments.questions:
                return there.wanted_questions(root)
            return there.wanted_theories(root) if arguments.theories else there.wanted(root)
        case requests.Import(directory="", root=root, objects=[], after=str(after)) if root:
            there = places.registries()
            if arguments.questions:
                return there.take_questions(root, after, deadline)
            take = there.take_theories if arguments.theories else there.take
            return take(root, after, deadline)
        case requests.Export(share=False, objects=[]):
            return workspace.export(
                places.exchange(arguments.directory), overwrite=arguments.overwrite, team=arguments.team
            )
        case requests.Import(root="", objects=[], after=None, theories=False, questions=False):
            return workspace.import_(
                places.exchange(arguments.directory),
                renumber=arguments.renumber,
                trust_nothing=arguments.trust_nothing,
                force=arguments.force,
                team=arguments.team,
                deadline=deadline,
            )
        case _:
            raise RegistryError(
                "invalid_argument", "a directory, a root and objects are three things", place="directory",
                expected="`directory`; or one of what registries send that pull or push", hint="leave the others out",
            )  # fmt: skip

"""Sharing as a server offers it: what its `export` and `import` do beyond directories (docs/reference/registry.md §3.1).

Who pulls asks for the root, then for objects, in pages. Who pushes brings a root and is told which objects are wanted; brings them; and then
has tools taken in, some at a time; and so the saved theories. The server keeps no state of either but the objects that have come, so a connection may end at
any message. What is pushed is judged as any arrival: that its sender may evolve tools here makes nothing of it believed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from registry.errors import RegistryError
from registry.sharing.catalogue import Catalogue
from registry.sharing.keys import TrustFile
from registry.sharing.pull import TOGETHER, Puller, Taken
from registry.sharing.questions import MOST, QuestionCatalogue, QuestionFile, new_questions, take_questions
from registry.sharing.staging import Staged, Wanted
from registry.sharing.theory_catalogue import TheoryCatalogue
from registry.sharing.theory_pull import Shelf, missing_texts, new_theories, pull_theories

if TYPE_CHECKING:
    from kleis.prover.kept_certificates import CertificateStorage
    from kleis.prover.process.deadline import Deadline
    from registry.workspace.workspace import Workspace

__all__ = ["WANTED_AT_ONCE", "SharingService"]

WANTED_AT_ONCE: Final = 5_000
"""Objects that one answer asks for."""

_PATIENCE: Final = 20.0
"""Seconds in which one call begins to take in more."""

_CHECKING: Final = 5.0
"""Seconds in which one call begins to check another certificate of a question, which may take 20 s of the processor."""

_LIES: Final = 3
"""Certificates of one call that show nothing, after which no more of the push are looked at."""


class SharingService:
    """What a home gives and takes over its server. Safe in threads."""

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        namespace: str,
        principal: str,
        owner_home: Path | None = None,
        shelf: Callable[[], Shelf] | None = None,
    ) -> None:
        """`namespace` is what the tools are called together; empty where nothing is shared. `owner_home`: of the server's owner, whose
        trusted and revoked keys count too. `shelf`: the saved theories, up to date, which are given and taken too; None for none."""
        self._workspace = workspace
        self._home = home
        self._namespace = namespace
        self._principal = principal
        self._trust = () if owner_home is None or owner_home == home else (TrustFile(owner_home),)
        self._shelf = shelf
        theories = questions = None
        if shelf is not None:
            theories = TheoryCatalogue(lambda: shelf().saved, lambda: shelf().proofs)
            questions = QuestionCatalogue(home, lambda: _certificates_or_none(shelf()))
        self._catalogue = Catalogue(home, namespace, theories, questions)

    def root(self) -> dict[str, Any]:
        """The signed root of what is offered now. Raises `not_allowed` where nothing is shared."""
        self._check()
        root = self._catalogue.root(self._workspace.tools(), self._workspace.store)
        return {"type": "offer", "root": root.decode(), "namespace": self._namespace}

    def objects(self, hashes: Sequence[str]) -> dict[str, Any]:
        """Objects of it: those that are there, as many as a page takes."""
        self._check()
        found = self._catalogue.objects(hashes, self._workspace.tools(), self._workspace.store)
        return {"type": "objects", "objects": found}

    def stage(self, root: str, texts: Sequence[str]) -> dict[str, Any]:
        """Keep objects of a push until it is taken in. Raises as `wanted`."""
        staged, _ = self._opened(root, None)
        return {"type": "staged", "objects": staged.add(texts)}

    def wanted(self, root: str) -> dict[str, Any]:
        """What has to come of a push, and how many tools are new. Raises as `Puller`, `not_allowed` for a key that is not trusted."""
        staged, puller = self._opened(root, None)
        try:
            roots = puller.new()
            missing = puller.missing(roots)
            staged.ahead(missing)
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        if not roots:
            puller.finish(())
            staged.clear()
        return {"type": "wanted", "objects": [], "new": len(roots)}

    def take(self, root: str, after: str, deadline: Deadline) -> dict[str, Any]:
        """Take in tools of a push, those whose names come after one; the last that was looked at, and how many are left."""
        staged, puller = self._opened(root, deadline)
        try:
            roots = sorted(each for each in puller.new() if each > after)
            taken, done = Taken(), 0
            until = time.monotonic() + _PATIENCE
            while done < len(roots) and (done == 0 or time.monotonic() < until):
                taken.add(puller.some(roots[done : done + TOGETHER]))
                done = min(done + TOGETHER, len(roots))
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        if done == len(roots):
            puller.finish({*puller.new()})
            staged.clear()
        last = roots[done - 1] if done else after
        return {"type": "taken", "after": last, "left": len(roots) - done, **taken.as_json()}

    def wanted_theories(self, root: str) -> dict[str, Any]:
        """What has to come of the saved theories of a push, and how many are new. Raises as `wanted`."""
        staged, puller = self._opened(root, None)
        shelf = self._saved()
        try:
            names = new_theories(puller, shelf)
            staged.ahead(missing_texts(puller, names, shelf))
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        return {"type": "wanted", "objects": [], "new": len(names)}

    def take_theories(self, root: str, after: str, deadline: Deadline) -> dict[str, Any]:
        """Take in saved theories of a push, those whose names come after one; answers as `take`."""
        staged, puller = self._opened(root, deadline)
        shelf = self._saved()
        try:
            names = [each for each in new_theories(puller, shelf) if each > after]
            taken = pull_theories(puller, names, shelf, _PATIENCE)
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        if "ended" in taken:
            error = taken["ended"]
            raise RegistryError(error["kind"], error["message"], hint=error.get("hint"))
        done = taken.pop("looked_at")
        if done == len(names):
            staged.clear()
        last = names[done - 1] if done else after
        return {"type": "taken", "after": last, "left": len(names) - done, "added": [], **taken}

    def wanted_questions(self, root: str) -> dict[str, Any]:
        """What has to come of the certificates of questions of a push, and how many are new. Raises as `wanted`."""
        staged, puller = self._opened(root, None)
        try:
            rows = self._new_questions(puller, _certificates(self._saved()))
            staged.ahead([*rows.values()])
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        return {"type": "wanted", "objects": [], "new": len(rows)}

    def take_questions(self, root: str, after: str, deadline: Deadline) -> dict[str, Any]:
        """Take in certificates of questions of a push, those whose digests come after one and that hold; answers as `take`. Where
        some show nothing, no call looks at those that are left."""
        staged, puller = self._opened(root, deadline)
        shelf = self._saved()
        storage = _certificates(shelf)
        try:
            rows = {
                each: hash_ for each, hash_ in self._new_questions(puller, storage).items() if each > after
            }
            taken = take_questions(
                puller, rows, self._home, storage, shelf.broker, seconds=_CHECKING, lies=_LIES
            )
        except Wanted as wanted:
            return {"type": "wanted", "objects": wanted.hashes[:WANTED_AT_ONCE]}
        left = 0 if taken.is_left or taken.refused else len(rows) - taken.looked_at
        if not left:
            staged.clear()
        last = [*rows][taken.looked_at - 1] if taken.looked_at else after
        return {
            "type": "taken", "after": last, "left": left, "fetched": taken.fetched, "added": [], "questions": taken.questions,
            "refused": taken.refused,
        }  # fmt: skip

    def _new_questions(self, puller: Puller, storage: CertificateStorage) -> dict[str, str]:
        """Those that are new here. Raises `invalid_argument` where there is no room for them: what is listed is given on whole."""
        rows = new_questions(puller, storage)
        listed = QuestionFile(self._home).read()
        number = len(listed.keys() | rows)
        if number > MOST:
            raise RegistryError(
                "invalid_argument", "the server has no room for so many certificates of questions", place="questions",
                found=str(number), expected=f"{MOST} in all", hint="push fewer, or to another server",
            )  # fmt: skip
        return rows

    def _saved(self) -> Shelf:
        if self._shelf is None:
            raise RegistryError(
                "not_allowed", "this server takes no saved theories", place="theories", hint="push tools only"
            )
        return self._shelf()

    @property
    def _place(self) -> str:
        return f"a push by {self._principal}"

    def _opened(self, root: str, deadline: Deadline | None) -> tuple[Staged, Puller]:
        self._check()
        try:
            file = root.encode()
        except UnicodeEncodeError:
            raise RegistryError(
                "invalid_argument", "the root is no text", place="root", expected="text"
            ) from None
        staged = Staged(self._home, self._place, file)
        return staged, Puller(self._workspace, self._home, staged, trust=self._trust, deadline=deadline)

    def _check(self) -> None:
        if not self._namespace:
            raise RegistryError(
                "not_allowed", "this server shares no tools", place="share", expected="a server that does",
                hint="its owner starts it with `pif serve --share NAMESPACE`",
            )  # fmt: skip


def _certificates(shelf: Shelf) -> CertificateStorage:
    """Where the certificates of a home are. Raises `not_allowed` where none are kept."""
    storage = _certificates_or_none(shelf)
    if storage is None:
        raise RegistryError(
            "not_allowed",
            "this server takes no certificates",
            place="questions",
            hint="push without --questions",
        )
    return storage


def _certificates_or_none(shelf: Shelf) -> CertificateStorage | None:
    """Where the certificates of a home are."""
    return None if shelf.proofs is None else shelf.proofs.storage

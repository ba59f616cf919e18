"""Tools, saved theories and certificates of questions brought to a running server of ours, which judges them as any arrival (docs/reference/registry.md §3.1).

The root goes first, then what the server says that it has not, in pages, then the wish that it takes them in. Nothing leaves this home but
objects of the root, whatever the server asks for. A push that was cut off is repeated; what has come is not sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from kleis.decoding import converted
from registry.errors import RegistryError
from registry.sharing.manifest import untrue
from registry.sharing.publication import Content, rooted
from registry.sharing.wire import Server
from registry.workspace.requests import LONGEST

__all__ = ["Pusher", "fits"]

Kind = Literal["tools", "theories", "questions"]

_PAGE: Final = 1024 * 1024
_LARGEST: Final = 3 * 1024 * 1024
"""Bytes of a page, and of what may go by itself: a request has 4 MB at most."""

_AGAIN: Final = 3
"""Times that a server may ask for what it has had: another push may have taken its room."""


class _Wanted(msgspec.Struct, frozen=True):
    objects: tuple[str, ...] = ()
    new: int = 0


class _Taken(msgspec.Struct, frozen=True):
    after: str
    left: int
    added: tuple[str, ...] = ()
    refused: tuple[dict[str, Any], ...] = ()
    laws: tuple[dict[str, Any], ...] = ()
    theories: tuple[str, ...] = ()
    certificates: int = 0
    questions: tuple[dict[str, str], ...] = ()


class _Done:
    """What a push has come to."""

    def __init__(self) -> None:
        self.sent = 0
        self.added: list[str] = []
        self.refused: list[dict[str, Any]] = []
        self.laws: list[dict[str, Any]] = []
        self.theories: list[str] = []
        self.certificates = 0
        self.questions: list[dict[str, str]] = []
        self.ended: RegistryError | None = None

    def add(self, answer: _Taken) -> None:
        """Count in what the server took."""
        self.added += answer.added
        self.refused += answer.refused
        self.laws += answer.laws
        self.theories += answer.theories
        self.certificates += answer.certificates
        self.questions += answer.questions


class Pusher:
    """What one home has to bring, and the server that it is brought to."""

    def __init__(
        self,
        wire: Server,
        content: Content,
        home: Path,
        namespace: str,
        theories: str = "",
        questions: str = "",
    ) -> None:
        """`theories`, `questions`: the hashes of the indices of saved theories and of certificates of questions, whose objects are in
        `content`; empty for none."""
        self._wire = wire
        self._content = content
        self._manifest, self.root = rooted(
            content.shards, home, namespace, stream="push", theories=theories, questions=questions
        )

    def push(self, progress: Callable[[int, int], None] = lambda done, of: None) -> dict[str, Any]:
        """The answer of a command: what is new there, and what was refused.

        Where the server ends half way, the answer has what it took until then, and the error as `ended`; before that the error is raised,
        as by `Wire.call`.
        """
        done = _Done()
        manifest = self._manifest
        kinds: dict[Kind, str] = {
            "tools": "always",
            "theories": manifest.theories,
            "questions": manifest.questions,
        }
        for kind, index in kinds.items():
            if index and done.ended is None:
                self._bring(done, progress, kind)
        return {
            "type": "pushed", "to": self._wire.place, "namespace": self._manifest.namespace, "key": self._manifest.key,
            "sent": done.sent, "added": done.added, "refused": done.refused, **({"laws": done.laws} if done.laws else {}),
            **({"theories": done.theories} if self._manifest.theories else {}),
            **({"certificates": done.certificates} if done.certificates else {}),
            **({"questions": done.questions} if manifest.questions else {}),
            **({} if done.ended is None else {"ended": done.ended.as_json()}),
        }  # fmt: skip

    def _bring(self, done: _Done, progress: Callable[[int, int], None], kind: Kind) -> None:
        """Bring what is missing of one kind, and have it taken in."""
        after, left = "", None
        try:
            done.sent += self._send(progress, done.sent, kind)
            while left is None or left > 0:
                answer = self._some_taken(after, left, kind)
                done.add(answer)
                after, left = answer.after, answer.left
        except RegistryError as error:
            begun = kind != "tools" or left is not None
            if not begun or error.kind not in ("store_error", "too_busy"):
                raise  # nothing that a server says counts which lies
            done.ended = error

    def _some_taken(self, after: str, left: int | None, kind: Kind) -> _Taken:
        """Have the server take in some more. Raises `invalid_argument` where it comes to no end."""
        # One certificate may take 20 s of the processor.
        more = {"timeout_ms": LONGEST} if kind == "questions" else {}
        answer: _Taken = self._call(_Taken, "taken", after=after, **self._about(kind), **more)
        if answer.left < 0 or (left is not None and answer.left >= left):
            found = f"{answer.left} left"
            raise untrue(self._wire.place, "the server comes to no end", found, "fewer than before")
        return answer

    @property
    def _text(self) -> str:
        return self.root.decode()

    def _about(self, kind: Kind) -> dict[str, Any]:
        """The arguments of a call: tools need none that older servers do not know."""
        return {"root": self._text, **({} if kind == "tools" else {kind: True})}

    def _send(self, progress: Callable[[int, int], None], before: int, kind: Kind) -> int:
        """Bring what is missing there; how many objects that were, after so many before."""
        done: set[str] = set()
        again = 0
        while True:
            wanted = self._call(_Wanted, "wanted", **self._about(kind)).objects
            if not wanted:
                return len(done)
            unknown = [each for each in wanted if each not in self._content.objects]
            again += done.issuperset(wanted)
            if unknown or again > _AGAIN:
                found = "objects that were not offered" if unknown else "the same objects again"
                raise untrue(
                    self._wire.place, "the server asks for what it may not have", found, "objects of the root"
                )
            for page in self._pages(wanted):
                self._wire.call("import", root=self._text, objects=page)
            done.update(wanted)
            progress(before + len(done), len(self._content.objects))

    def _pages(self, hashes: tuple[str, ...]) -> Iterator[list[str]]:
        page: list[str] = []
        size = 0
        for hash_ in hashes:
            text = self._content.objects[hash_].decode()
            length = len(msgspec.json.encode(text))
            if length > _LARGEST:
                raise RegistryError(
                    "invalid_argument", "an object is too large to be pushed", file=self._wire.place, found=f"{length} bytes",
                    expected=f"{_LARGEST} bytes at most", hint="`pif publish` it for the other side to pull",
                )  # fmt: skip
            if page and size + length > _PAGE:
                yield page
                page, size = [], 0
            page.append(text)
            size += length
        if page:
            yield page

    def _call(self, shape: type[Any], kind: str, **arguments: Any) -> Any:
        answer = self._wire.call("import", **arguments)
        if answer.get("type") != kind:
            raise untrue(self._wire.place, "the server's answer is another", str(answer.get("type")), kind)
        try:
            return converted(answer, shape)
        except msgspec.ValidationError as error:
            raise untrue(self._wire.place, "the server's answer is none", str(error)[:200], kind) from None


def fits(content: bytes) -> bool:
    """Whether an object may go by itself."""
    return len(msgspec.json.encode(content.decode())) <= _LARGEST

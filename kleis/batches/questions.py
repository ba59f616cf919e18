"""What travels between a batch and its workers: declarations, tasks, answers, all as MessagePack of the types below.

A theory is its files in loading order, named by their digest; a question is named by the digest of its text, its structure,
its lemmas and its theory.  So a task that runs twice gives the same answers, under the same names.
"""

from __future__ import annotations

import hashlib

import msgspec

from kleis.prover.kept_certificates import KeptCertificate
from kleis.syntax.tree import Import
from kleis.theory.loader import Loading
from kleis.theory.theory import Theory

__all__ = ["Asked", "BatchAnswer", "BatchTask", "Declarations", "Said", "digest_of_bytes"]


def digest_of_bytes(data: bytes) -> str:
    """A SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Asked(msgspec.Struct, frozen=True):
    """A question of a batch: a proposition, the structure that it is about, and lemmas, as texts.

    `theory` names the declarations, by their digest; whoever sends the question fills it in.
    """

    proposition: str
    using: str = ""
    lemmas: tuple[str, ...] = ()
    theory: str = ""

    @property
    def digest(self) -> str:
        """The name of this question in answers."""
        return digest_of_bytes(msgspec.msgpack.encode(self))


class Declarations(msgspec.Struct, frozen=True):
    """The files of a theory, imports before what imports them, each with its name and text."""

    files: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, loading: Loading) -> Declarations:
        """The files that were loaded."""
        return cls(tuple((each.name, each.text) for each in loading.sources))

    @classmethod
    def of_theory(cls, theory: Theory) -> Declarations:
        """A theory that no files need to stand for, as one text, which names the same questions."""
        from kleis.prover.certificates.build import theory_text

        return cls((("<theory>", theory_text(theory)),))

    def theory(self) -> Theory:
        """The theory that these files declare.  Raises `ParseError`."""
        from kleis.syntax.parser.parser import parse_program

        theory = Theory()
        for name, text in self.files:
            program = parse_program(text, file=name)
            declared = [each for each in program.items if not isinstance(each, Import)]
            theory = theory.extend(declared, file=name)
        return theory


class BatchTask(msgspec.Struct, frozen=True):
    """Questions that go to a worker together, and the version that has to answer them.  Each names its theory.

    `seconds`: after so many a worker stops what it is at, and answers with what it has; 0 for no limit.
    """

    questions: tuple[Asked, ...]
    version: str
    effort: int = 1
    seconds: float = 0.0

    @property
    def theories(self) -> tuple[str, ...]:
        """The names of the declarations that a worker needs for it."""
        return tuple(dict.fromkeys(each.theory for each in self.questions))


class Said(msgspec.Struct, frozen=True):
    """What a worker said of a question.  Without a certificate it is a claim and no more."""

    question: str
    status: str
    reason: str = ""


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a task.

    `certificates` are by the digest of the goal that each shows.  `refused` is the worker's version where it is another
    one; `failure` is why the worker could not work.
    """

    worker: str
    said: tuple[Said, ...] = ()
    certificates: dict[str, KeptCertificate] = {}
    refused: str = ""
    failure: str = ""

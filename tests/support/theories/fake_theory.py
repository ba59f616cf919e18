"""A theory for tests of the evaluator: its answers are functions of the question's text, and it counts questions."""

from __future__ import annotations

from collections.abc import Callable

from pif.language.host import Answer, Question, Refusal
from pif.language.terms import Term, term_text
from pif.language.values import Record, list_of

__all__ = ["FakeTheory", "text_of"]


def text_of(question: Question) -> str:
    return term_text(question) if isinstance(question, Term) else question or ""


class FakeTheory:
    """`kleis` gives the text backwards (a wide integer for "wide"), `verify` a record with the text's length, the others
    lists. A text with "refuse" in it is refused."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def ask(
        self, operation: str, question: Question, cancelled: Callable[[], bool] | None
    ) -> Answer | Refusal:
        text = text_of(question)
        self.asked.append((operation, text))
        if "refuse" in text:
            return Refusal("the text says so", fuel=7, found=text[:20], hint="Ask something else.")
        fuel = 5 * len(text) + 3
        match operation:
            case "kleis":
                return Answer(2**70 if text == "wide" else text[::-1], fuel)
            case "verify":
                return Answer(Record({"claim": text, "verdict": "verified"}), fuel)
            case _:
                return Answer(list_of([Record({"name": text or "none"})]), fuel)

"""What the tools of the group `conformance` ask their clients, and what they make of the answers.

A dialogue has rounds of questions; each round is asked until all of it is answered. What was answered in earlier rounds
is in the `state`, as JSON text, so that no round depends on anything that the server keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from registry.server.contract.group import Answer
from registry.server.contract.questions import CAPABILITIES, Client, InputRequired, Question, QuestionMethod
from registry.server.groups.conformance.answer_shapes import FixtureAnswer

__all__ = ["DIALOGUES", "Dialogue", "answer", "elicited", "proceed", "sample_text", "sampled"]

Answers = Mapping[str, Any]


class Dialogue(msgspec.Struct, frozen=True):
    """Rounds of questions and the text that sums up the answers. `remembers`: the client carries a state from the first
    round on; a dialogue of several rounds always does. `selective`: only what the client can answer is asked."""

    rounds: tuple[Mapping[str, Question], ...]
    sums_up: Callable[[Answers], str]
    remembers: bool = False
    selective: bool = False


def proceed(dialogue: Dialogue, client: Client) -> Answers | InputRequired:
    """The answers of all rounds, or the questions that come next."""
    answered: dict[str, Any] = msgspec.json.decode(client.state) if client.state else {}
    for questions in dialogue.rounds:
        asked = {
            name: each
            for name, each in questions.items()
            if not dialogue.selective or CAPABILITIES[each.method] in client.capabilities
        }
        open_ones = {name: each for name, each in asked.items() if name not in answered}
        given = {
            name: client.answers[name]
            for name, each in open_ones.items()
            if _answers(each.method, client.answers.get(name))
        }
        if given.keys() != open_ones.keys():
            carries = dialogue.remembers or len(dialogue.rounds) > 1
            return InputRequired(asked, msgspec.json.encode(answered).decode() if carries else None)
        answered |= given
    return answered


def answer(dialogue: Dialogue, client: Client) -> Answer | InputRequired:
    """The answer of a tool that is nothing but a dialogue."""
    answered = proceed(dialogue, client)
    if isinstance(answered, InputRequired):
        return answered
    text = dialogue.sums_up(answered)
    found: FixtureAnswer = {"text": text, "answers": dict(answered)}
    return Answer(found, text)


def _answers(method: QuestionMethod, given: Any) -> bool:
    """Whether something is an answer to a question of this kind."""
    wanted = {"elicitation/create": "action", "sampling/createMessage": "content", "roots/list": "roots"}
    return isinstance(given, Mapping) and wanted[method] in given


def elicited(message: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> Question:
    """A question to the client's user."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties), "required": list(required)}
    return Question("elicitation/create", {"message": message, "requestedSchema": schema})


def sampled(prompt: str, tokens: int = 100) -> Question:
    """A question to the client's model."""
    said = {"role": "user", "content": {"type": "text", "text": prompt}}
    return Question("sampling/createMessage", {"messages": [said], "maxTokens": tokens})


def sample_text(answer: Mapping[str, Any]) -> str:
    """What the client's model said, without what is no text."""
    content = answer["content"]
    parts = content if isinstance(content, list) else [content]
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


_TEXT: Final = {"type": "string"}
_ROOTS: Final = Question("roots/list")
_NAME: Final = elicited("What is your name?", {"name": _TEXT}, ("name",))
_CONFIRM: Final = elicited("Please confirm", {"ok": {"type": "boolean"}}, ("ok",))

_DEFAULTS: Final = {
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {
        "type": "string",
        "description": "User status",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "description": "Verification status", "default": True},
}


def _titled(*titles: str) -> list[dict[str, str]]:
    return [{"const": f"value{place}", "title": title} for place, title in enumerate(titles, 1)]


_OPTIONS: Final = ["option1", "option2", "option3"]
_ENUMS: Final = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _titled("First Option", "Second Option", "Third Option")},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {
        "type": "array",
        "items": {"anyOf": _titled("First Choice", "Second Choice", "Third Choice")},
    },
}


def _field(answers: Answers, question: str, field: str) -> str:
    """A field of what a user filled in, or what they did instead."""
    said = answers[question]
    return str((said.get("content") or {}).get(field, said["action"]))


def _completed(answers: Answers) -> str:
    said = answers["form"]
    content = msgspec.json.encode(said.get("content") or {}).decode()
    return f"Elicitation completed: action={said['action']}, content={content}"


def _greeting(answers: Answers) -> str:
    return f"Hello, {_field(answers, 'user_name', 'name')}!"


def _counted(answers: Answers) -> str:
    return f"answered: {', '.join(sorted(answers)) or 'nothing: the client can answer no question'}"


DIALOGUES: Final[Mapping[str, Dialogue]] = {
    "test_elicitation_sep1034_defaults": Dialogue(
        ({"form": elicited("Please review these defaults", _DEFAULTS)},), _completed
    ),
    "test_elicitation_sep1330_enums": Dialogue(({"form": elicited("Please choose", _ENUMS)},), _completed),
    "test_streaming_elicitation": Dialogue(({"user_name": _NAME},), _greeting),
    "test_missing_capability": Dialogue(({"sample": sampled("Say anything.")},), _counted),
    "test_input_required_result_elicitation": Dialogue(({"user_name": _NAME},), _greeting),
    "test_input_required_result_sampling": Dialogue(
        ({"capital_question": sampled("What is the capital of France?")},),
        lambda answers: f"LLM response: {sample_text(answers['capital_question'])}",
    ),
    "test_input_required_result_list_roots": Dialogue(
        ({"client_roots": _ROOTS},),
        lambda answers: f"roots: {', '.join(str(each['uri']) for each in answers['client_roots']['roots'])}",
    ),
    "test_input_required_result_request_state": Dialogue(
        ({"confirm": _CONFIRM},), lambda answers: f"state-ok: {_counted(answers)}", remembers=True
    ),
    "test_input_required_result_multiple_inputs": Dialogue(
        ({"user_name": _NAME, "greeting": sampled("Generate a greeting", 50), "client_roots": _ROOTS},),
        _counted,
        remembers=True,
    ),
    "test_input_required_result_multi_round": Dialogue(
        (
            {"step1": elicited("Step 1: What is your name?", {"name": _TEXT}, ("name",))},
            {"step2": elicited("Step 2: What is your favorite color?", {"color": _TEXT}, ("color",))},
        ),
        lambda answers: f"{_field(answers, 'step1', 'name')} likes {_field(answers, 'step2', 'color')}",
    ),
    "test_input_required_result_tampered_state": Dialogue(({"confirm": _CONFIRM},), _counted, remembers=True),
    "test_input_required_result_capabilities": Dialogue(
        ({"user_name": _NAME, "greeting": sampled("Generate a greeting", 50)},), _counted, selective=True
    ),
}
"""The tools that take no arguments and do nothing but ask."""

"""Theories that documents and the demo show, each with the propositions that are asked about it.

A proposition that a transcript asks (`kleis verify --import FILE 'P'`) becomes an assertion below the text of FILE; those
asked about no file are a theory of their own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression
from registry.cli.demo.theory_acts import POLICY, THEORY, THEORY_LATER

__all__ = ["shown_by_the_demo", "shown_in"]

_BLOCK = re.compile(r"^```kleis\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HERE = re.compile(r"cat > (\w+)\.kleis <<'END'\n((?:> .*\n)*?)> END\n")
_ASKED = re.compile(r"^\$ (kleis verify .*)$", re.MULTILINE)
_WITH_A_VALUE = frozenset(["--certificate", "--effort", "--expect", "--timeout"])
"""Options that change nothing of what is asked, with their value."""

_POLICY = 'import "stdlib/policies/coding_agent.kleis"\n'


def shown_in(document: Path) -> Iterator[str]:
    """The theories of a document: blocks of Kleis, files that its transcripts write, and what is asked about no file."""
    text = document.read_text(encoding="utf-8")
    asked: dict[str, list[str]] = {}
    for found in _ASKED.finditer(text):
        question = _question(found[1])
        if question is not None:
            asked.setdefault(question[0], []).append(question[1])
    for block in _BLOCK.finditer(text):
        yield block[1]
    for name, block in _HERE.findall(text):
        yield _with(re.sub(r"^> ", "", block, flags=re.MULTILINE), asked.pop(f"{name}.kleis", []))
    if "" in asked:
        yield _with("", asked[""])


def _question(command: str) -> tuple[str, str] | None:
    """The file that a command asks about, empty for none, and the proposition; None for a question of another kind."""
    words = iter(shlex.split(command)[2:])
    file, propositions = "", list[str]()
    for word in words:
        if word in ("|", "&&", ";"):
            break
        if word == "--import":
            file = next(words, "")
        elif word in _WITH_A_VALUE:
            next(words, "")
        elif not word.startswith("-"):
            propositions.append(word)
        elif word not in ("--explain", "--json", "--fresh"):
            return None
    return (file, propositions[0]) if len(propositions) == 1 and _reads(propositions[0]) else None


def _reads(proposition: str) -> bool:
    try:
        parse_expression(proposition)
    except KleisError:
        return False
    return True


def _with(text: str, propositions: list[str]) -> str:
    """A theory with propositions as assertions."""
    if not propositions:
        return text
    asserted = "".join(f"    assert({each})\n" for each in dict.fromkeys(propositions))
    return f'{text}\nexample "asked" {{\n{asserted}}}\n'


def shown_by_the_demo() -> Iterator[str]:
    """The sessions of the demo: what was accepted there, and what was asked; then its question to the policy."""
    texts: dict[str, str] = {"": ""}
    asked: dict[str, list[str]] = {}
    saved: dict[str, str] = {}
    for call in (*THEORY.calls, *THEORY_LATER.calls):
        arguments = {name: str(value) for name, value in call.arguments.items()}
        session = arguments.get("session", "")
        if call.tool == "submit_structure" and call.expect["status"] == "consistent":
            texts[session] = f"{texts[session]}{arguments['kleis']}\n"
        elif call.tool == "save_theory":
            saved[str([arguments["name"]])] = texts[session]
        elif call.tool == "load_theory":
            texts[session] = saved[arguments["imports"]]
        elif call.tool == "evaluate":
            asked.setdefault(session, []).append(arguments["expression"])
    for session, text in texts.items():
        yield _with(text, asked.get(session, []))
    yield _with(
        _POLICY, [str(call.arguments["expression"]) for call in POLICY.calls if call.tool == "evaluate"]
    )

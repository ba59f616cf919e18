"""Commands about laws of tools: verify, certificate check (issue 7, items 2 and 3)."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli import pif_law_views as views
from registry.cli.session import Session, command, home_and_json
from registry.cli.sources import text

__all__ = ["COMMANDS"]

_STATUS = {"proved": 0, "refuted": 1, "tested": 3, "untested": 3}


@command("verify")
@click.argument("proposition", type=text)
@click.option("--lemma", "lemmas", type=text, multiple=True, help="A law that is proved first (repeatable).")
def verify(session: Session, proposition: str, lemmas: tuple[str, ...]) -> int:
    """Decide a Kleis proposition about tools; nothing is kept.

    For example '∀(x : ℤ). square(x) ≥ 0', or 'safe(square)'. A tool whose name Kleis uses itself is tool_NAME:
    tool_sum, tool_reverse. Exit status: 0 proved, 1 refuted or no proposition, 3 neither (then it was tested).
    """
    with session.workspace() as workspace:
        answer = workspace.verify(proposition, lemmas=lemmas)
    status = session.answer(answer, lambda found: views.law(session.screen, found))
    return status or _STATUS[answer["status"]]


@click.group("certificate", params=home_and_json())
@click.pass_context
def certificate(context: click.Context, home: Path | None, as_json: bool) -> None:
    """Check the certificates of laws."""
    root = context.find_root().params
    root["home"], root["as_json"] = home or root.get("home"), as_json or root.get("as_json", False)


@command("check")
@click.argument("tool", type=text, metavar="NAME[@V]")
def check(session: Session, tool: str) -> int:
    """Check the laws of a tool again from nothing.

    Its code is translated again, each law is read again, and everything in its certificate is parsed, encoded and
    solved again; laws without a proof are tried again at the same points. Exit status 1 if one does not hold.
    """
    with session.workspace() as workspace:
        answer = workspace.check_laws(tool)
    status = session.answer(answer, lambda found: views.checked(session.screen, found))
    return status or (0 if answer["ok"] else 1)


certificate.add_command(check)

COMMANDS = (verify, certificate)

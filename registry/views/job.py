"""Work that goes on without its caller: how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.views.actions import button, buttons
from registry.views.markup import Markup, element, joined
from registry.views.page import View
from registry.views.parts import facts, status_badge, table
from registry.views.tool import error_view

__all__ = ["job_view"]


def job_view(answer: Mapping[str, Any]) -> View:
    """One job or all, of the fields of `check_job` and of calls that begin one."""
    if answer.get("type") == "jobs":
        return _jobs(answer)
    if answer.get("type") != "job":
        return error_view(answer)
    number = str(answer.get("project_id", ""))
    body = (
        element("h1", status_badge(str(answer.get("status", ""))), " ", str(answer.get("title", "")), dir="auto"),
        facts([("Said", str(answer.get("message", ""))), ("Seconds", str(answer.get("seconds", ""))), ("Number", number)]),
        buttons(
            button("Look again", "check_job", {"project_id": number}),
            button("Stop it", "check_job", {"project_id": number, "cancel": True})
            if answer.get("status") == "in_progress"
            else Markup(""),
        ),
    )  # fmt: skip
    return View("A job", joined(body))


def _jobs(answer: Mapping[str, Any]) -> View:
    rows = [
        [
            str(each.get("title", "")),
            status_badge(str(each.get("status", ""))),
            str(each.get("seconds", "")),
            button("Open", "check_job", {"project_id": str(each.get("project_id", ""))}),
        ]
        for each in answer.get("jobs") or ()
    ]
    shown = table(["job", "state", "seconds", ""], rows) if rows else element("p", "There is none.")
    return View("Jobs", joined((element("h1", "Jobs"), shown)))

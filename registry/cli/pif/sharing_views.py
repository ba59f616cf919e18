"""What was published, pulled, pushed and trusted, for people."""

from __future__ import annotations

from registry.cli.terminal.characters import counted
from registry.cli.terminal.command_context import Answer, CommandContext

__all__ = ["is_partial", "show_keys", "show_published", "show_pulled", "show_pushed"]


def show_keys(context: CommandContext, answer: Answer) -> None:
    """The trusted keys, and the revoked ones."""
    for each, name in sorted(answer["trusted"].items(), key=lambda row: row[1]):
        context.say(f"{name}  {each}")
    for each in answer["revoked"]:
        context.say(f"revoked  {each}")
    if not answer["trusted"] and not answer["revoked"]:
        context.say("no keys; `pif trust add KEY --as NAME` trusts a publisher's")


def show_published(context: CommandContext, answer: Answer) -> None:
    """A line about what was written, and where; then what was left out."""
    what = f"{counted(answer['tools'], 'tool')} with {counted(answer['versions'], 'version')}"
    if "theories" in answer:
        number = len(answer["theories"])
        what = f"{what} and {number} saved {'theory' if number == 1 else 'theories'}"
    if "certificates" in answer:
        what = f"{what} with {counted(answer['certificates'], 'certificate')}"
    if "questions" in answer:
        what = f"{what} and {counted(answer['questions'], 'certificate')} of questions"
    context.say(f"{what} in {answer['directory']}, as {answer['namespace']}, number {answer['sequence']}")
    _refused(context, answer)


def show_pushed(context: CommandContext, answer: Answer) -> None:
    """What is new at the other registry, and what it refused."""
    for each in answer["added"]:
        context.say(f"{each}  is new there")
    for law in answer.get("laws", ()):
        context.say(f"  {law['status']}  {law['tool']}: {law['law']}")
    for each in answer.get("theories", ()):
        context.say(f"{each}  a theory, is new there")
    for each in answer.get("questions", ()):
        context.say(f"{each['status']}  {each['claim']}  is new there, checked there")
    _claimed(context, answer)
    if not any(
        answer.get(each) for each in ("added", "theories", "certificates", "questions")
    ) and not is_partial(answer):
        context.say("nothing is new there")
    _refused(context, answer)


def is_partial(answer: Answer) -> bool:
    """Whether something was refused, or all ended before it was done."""
    return bool(answer.get("refused") or "ended" in answer)


def _refused(context: CommandContext, answer: Answer) -> None:
    for each in answer.get("refused", ()):
        context.screen.print_error(
            f"{each.get('root')}: {each.get('message')}", f"  hint: {each.get('hint', '')}"
        )
    if "ended" in answer:
        said = answer["ended"]
        context.screen.print_error(
            f"it ended before all was done: {said['message']} ({said.get('found', '')})",
            f"  hint: {said.get('hint', '')}",
        )


def _claimed(context: CommandContext, answer: Answer) -> None:
    if number := answer.get("certificates"):
        context.say(
            f"{counted(number, 'certificate')} of their lemmas, to be checked when they are first used"
        )


def show_pulled(context: CommandContext, answer: Answer) -> None:
    """What is offered, or what is new here, and what was refused."""
    if answer["type"] == "offered":
        for each in answer["tools"]:
            context.say(f"{answer['namespace']}/{each}")
        for each in answer.get("theories", ()):
            context.say(f"{answer['namespace']}/{each}  a theory")
        if "questions" in answer:
            context.say(f"{counted(answer['questions'], 'certificate')} of questions")
        return
    by = answer["publisher"]
    for each in answer["added"]:
        context.say(f"{each}  from {by['namespace']}, signed by {by['name']}")
    for each in answer.get("theories", ()):
        context.say(f"{each}  a theory from {by['namespace']}, signed by {by['name']}")
    for each in answer.get("questions", ()):
        context.say(f"{each['status']}  {each['claim']}  about what its certificate declares, checked here")
    _claimed(context, answer)
    for law in answer.get("laws", ()):
        context.say(f"  {law['status']}  {law['tool']}: {law['law']}")
    found = any(answer.get(each) for each in ("added", "theories", "certificates", "questions"))
    if not (found or is_partial(answer)):
        context.say("nothing is new: it is here already")
    _refused(context, answer)

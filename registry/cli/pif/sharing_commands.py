"""Commands on sharing between registries: publish, pull, push, sync (docs/reference/registry.md §3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from registry.cli.pif.completion import own_tool_names
from registry.cli.pif.sharing_questions import given_questions, pulled_questions
from registry.cli.pif.sharing_views import is_partial, show_published, show_pulled, show_pushed
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.session import command
from registry.cli.terminal.sources import path, text
from registry.cli.terminal.tokens import token_options
from registry.errors import RegistryError

__all__ = ["COMMANDS"]

namespace_option = click.option(
    "--namespace", type=text, required=True, help="What your tools are called together, such as ops."
)


theory_option = click.option(
    "--theory", "theories", type=text, multiple=True, metavar="NAME", help="A saved theory too, with what it imports."
)  # fmt: skip
questions_option = click.option(
    "--questions", is_flag=True, help="Certificates of questions too: those that are new and hold."
)  # fmt: skip
all_theories_option = click.option("--all-theories", is_flag=True, help="All saved theories too.")


@command("publish")
@click.argument("directory", type=path)
@click.argument("names", type=text, nargs=-1, shell_complete=own_tool_names)
@namespace_option
@theory_option
@all_theories_option
@click.option(
    "--proofs", is_flag=True,
    help="Prove the lemmas of these theories now, and carry the certificates, also those of questions that the home has.",
)  # fmt: skip
@click.option(
    "--certificate", "certificates", type=path, multiple=True, metavar="FILE",
    help="Carry the certificate of a question, as `kleis verify --certificate FILE` writes it (repeatable).",
)  # fmt: skip
def publish(
    context: CommandContext,
    directory: Path,
    names: tuple[str, ...],
    namespace: str,
    theories: tuple[str, ...],
    all_theories: bool,
    proofs: bool,
    certificates: tuple[Path, ...],
) -> int:
    """Write tools (all, or those NAMES with what they call) as a directory that any web server can serve.

    It is signed by the key of the home (`pif key create`). The same tools give the same bytes, so copies of it need no trust.
    """
    from registry.sharing import publication
    from registry.sharing.index_page import index_page
    from registry.sharing.questions import QuestionFile, Questions
    from registry.sharing.theories import index_hash

    home = context.home().path
    if proofs and not (theories or all_theories or certificates or QuestionFile(home).read()):
        raise click.UsageError(
            "--proofs is about theories and questions: add --theory NAME, --all-theories or --certificate FILE"
        )
    with context.workspace() as workspace:
        questions = given_questions(workspace, home, certificates) if proofs or certificates else Questions()
        content, given = _content(
            context, workspace, names, theories, all_theories=all_theories, proving=proofs
        )
    content.objects.update(questions.objects)
    rows, refused = given.rows, publication.left_out(content.left, given.left)
    manifest, file = publication.rooted(
        content.shards, home, namespace, theories=index_hash(rows), questions=questions.index
    )
    page = index_page(content, manifest, sorted(rows))
    done = publication.publish(directory, content, manifest, file, page)
    _gave(context, rows)
    answer: Answer = {
        "type": "published", "directory": str(directory), "namespace": namespace, "key": manifest.key,
        "sequence": manifest.sequence, "time": manifest.time, "tools": done.tools, "versions": done.versions,
        "written": done.written, **({"theories": sorted(rows)} if rows else {}), **_certified(rows),
        **({"questions": len(questions.rows)} if questions.rows else {}), **({"refused": refused} if refused else {}),
    }  # fmt: skip
    status = context.answer(answer, lambda shown: show_published(context, shown))
    return status or int(is_partial(answer))


def _content(
    context: CommandContext,
    workspace: Any,
    names: tuple[str, ...],
    theories: tuple[str, ...],
    *,
    all_theories: bool,
    proving: bool = False,
) -> tuple[Any, Any]:
    """What is given of a home: tools (all of them without names), and saved theories, whose objects are with those of the tools."""
    from registry.sharing import publication
    from registry.sharing.theories import Gathered, all_theories_of, theories_of

    if theories and all_theories:
        raise click.UsageError("--all-theories gives all of them: leave --theory out")
    content = publication.content_of(workspace.tools(), workspace.store, names or None)
    if not (theories or all_theories):
        return content, Gathered({}, {})
    with _sessions(context, workspace) as sessions:
        sessions.storage.update_saved()
        shelf = _shelf(context, workspace, sessions)
        given = all_theories_of(shelf.saved) if all_theories else theories_of(shelf.saved, theories)
        unproved = _proved(shelf, given.rows) if proving else {}
        if all_theories:
            given = all_theories_of(shelf.saved, shelf.proofs, unproved)
        else:
            for error in unproved.values():
                raise error
            given = theories_of(shelf.saved, theories, shelf.proofs)
    content.objects.update(given.objects)
    return content, given


def _gave(context: CommandContext, rows: dict[str, Any]) -> None:
    """Remember the texts of theories that leave the home, which may come back when there are newer ones here."""
    from registry.sharing.ledger import LedgerFile

    LedgerFile(context.home().path).gave_theories({name: row.object for name, row in rows.items()})


def _proved(shelf: Any, rows: dict[str, Any]) -> dict[str, RegistryError]:
    """File certificates of the lemmas of these theories; what is amiss with those that cannot be loaded."""
    from registry.sharing.theories import in_order
    from registry.sharing.theory_proofs import prove_lemmas

    unproved = {}
    for name, made in prove_lemmas(shelf.saved, in_order(rows, rows), shelf.broker).items():
        if isinstance(made, RegistryError):
            unproved[name] = made
        else:
            shelf.proofs.keep(rows[name].object, made)
    return unproved


def _certified(rows: dict[str, Any]) -> Answer:
    """How many certificates go with theories, as a field of an answer."""
    number = sum(len(row.claimed) for row in rows.values())
    return {"certificates": number} if number else {}


def _shelf(context: CommandContext, workspace: Any, sessions: Any) -> Any:
    """The saved theories of the home, or of its database."""
    from registry.sharing.theory_proofs import ProofFile, Proofs
    from registry.sharing.theory_pull import Shelf
    from registry.store.shared_state import certificate_storage

    home = context.home().path
    return Shelf.of(sessions, Proofs(ProofFile(home), certificate_storage(workspace.store, home)))


@command("pull")
@click.argument("name", type=text, required=False, metavar="[NAME[@VERSION]]")
@click.option(
    "--from", "source", type=text, required=True, metavar="ADDRESS",
    help="https://HOST/mcp of a server, https://HOST/DIR/ of files, or a directory.",
)  # fmt: skip
@click.option("--theory", type=text, metavar="NAME", help="Take in a saved theory, with what it imports.")
@click.option("--as", "as_name", type=text, metavar="NAME", help="What it is called here.")
@click.option("--all", "everything", is_flag=True, help="Take in all tools that are new.")
@click.option("--all-theories", is_flag=True, help="Take in all saved theories that are new.")
@click.option(
    "--questions", is_flag=True, help="Take in the certificates of questions that are new here and hold."
)
@token_options
def pull(
    context: CommandContext,
    name: str | None,
    source: str,
    theory: str | None,
    as_name: str | None,
    everything: bool,
    all_theories: bool,
    questions: bool,
    token_file: Path | None,
    token_variable: str,
) -> int:
    """Take in a tool or a saved theory of another registry, with all that it calls or imports; without a NAME, list what there is.

    Whoever signed it must be trusted (`pif trust add`). Code, hashes and types are computed here, examples run, certificates
    checked. A name that means something else here stays as it is, and nothing is taken in.
    """
    if (everything or all_theories) and (name or as_name or theory):
        raise click.UsageError("--all and --all-theories take in all: leave NAME, --theory and --as out")
    if questions and (name or as_name or theory or everything or all_theories):
        raise click.UsageError("--questions takes in certificates alone: leave the rest out")
    if name and theory:
        raise click.UsageError("a NAME is a tool's, --theory names a theory: pull one after the other")
    if as_name and not (name or theory):
        raise click.UsageError("--as needs the NAME of what is taken in")
    from registry.sharing.places import opened
    from registry.sharing.pull import Puller
    from registry.sharing.questions import offered_questions
    from registry.sharing.theory_pull import offered_theories
    from registry.sharing.tokens import read_token

    with context.workspace(
        changes=bool(name or everything or theory or all_theories or questions)
    ) as workspace:
        place = opened(source, read_token(token_file, token_variable))
        try:
            puller = Puller(workspace, context.home().path, place)
            if name:
                answer = puller.one(name, as_name)
            elif questions:
                answer = pulled_questions(workspace, context.home().path, puller)
            elif theory:
                answer = _pulled_theory(context, workspace, puller, theory, as_name)
            elif everything or all_theories:
                answer = _all(context, workspace, puller, tools=everything, theories=all_theories)
            else:
                there = sorted(offered_theories(puller))
                asked = len(offered_questions(puller))
                answer = {
                    "type": "offered", "namespace": puller.manifest.namespace, "publisher": puller.publisher,
                    "tools": [f"{each}@{version}" for each, version in puller.offered()],
                    **({"theories": there} if there else {}), **({"questions": asked} if asked else {}),
                }  # fmt: skip
        finally:
            place.close()
    status = context.answer(answer, lambda done: show_pulled(context, done))
    return status or int(is_partial(answer))


def _pulled_theory(
    context: CommandContext, workspace: Any, puller: Any, theory: str, as_name: str | None
) -> Answer:
    from registry.sharing.theory_pull import pull_theory

    with _sessions(context, workspace) as sessions:
        return pull_theory(puller, theory, _shelf(context, workspace, sessions), as_name)


@contextmanager
def _sessions(context: CommandContext, workspace: Any) -> Iterator[Any]:
    """The sessions of the home, or of its database, with the theories that are saved there."""
    from kleis.sessions.files.errors import SessionError
    from kleis.sessions.sessions import open_sessions
    from registry.store.shared_state import session_rows

    home = context.home().path
    rows = session_rows(workspace.store, home)
    try:
        sessions = open_sessions(home, storage=rows, saved=None if rows is None else rows.copies)
    except SessionError as error:
        raise RegistryError("invalid_argument", error.message, file=error.file, hint=error.hint) from None
    try:
        yield sessions
    finally:
        sessions.close()


def _all(
    context: CommandContext,
    workspace: Any,
    puller: Any,
    *,
    tools: bool = False,
    theories: bool = False,
    questions: bool = False,
) -> Answer:
    """All that is new, of these kinds.  Where one kind is refused as a whole, what came of those before it stays, and is told."""
    kinds: list[Callable[[], Answer]] = []
    if tools:
        kinds.append(lambda: _all_tools(context, puller))
    if theories:
        kinds.append(lambda: _all_theories(context, workspace, puller))
    if questions:
        kinds.append(lambda: pulled_questions(workspace, context.home().path, puller))
    answer: Answer = {
        "type": "synchronised", "publisher": puller.described(), "looked_at": 0, "fetched": 0, "added": [], "refused": [],
        **({"theories": []} if theories else {}),
    }  # fmt: skip
    for place, pulled in enumerate(kinds):
        try:
            taken = pulled()
        except RegistryError as error:
            if place == 0:
                raise
            return {**answer, "ended": error.as_json()}
        summed = {each: answer[each] + taken.pop(each) for each in ("looked_at", "fetched", "refused")}
        answer = {
            **answer,
            **{each: found for each, found in taken.items() if not answer.get(each)},
            **summed,
        }
        if "ended" in answer:
            break
    return answer


def _all_tools(context: CommandContext, puller: Any) -> Answer:
    with context.screen.progress("tools", 0) as report:
        taken: Answer = puller.all((lambda done, of: report(done)) if report else lambda done, of: None)
    return taken


def _all_theories(context: CommandContext, workspace: Any, puller: Any) -> Answer:
    from registry.sharing.theory_pull import new_theories, pull_theories

    with _sessions(context, workspace) as sessions:
        shelf = _shelf(context, workspace, sessions)
        return pull_theories(puller, new_theories(puller, shelf), shelf)


@command("push")
@click.argument("names", type=text, nargs=-1, shell_complete=own_tool_names)
@click.option(
    "--to", "address", type=text, required=True, metavar="ADDRESS", help="https://HOST/mcp of a server."
)
@namespace_option
@theory_option
@all_theories_option
@questions_option
@token_options
def push(
    context: CommandContext,
    names: tuple[str, ...],
    address: str,
    namespace: str,
    theories: tuple[str, ...],
    all_theories: bool,
    questions: bool,
    token_file: Path | None,
    token_variable: str,
) -> int:
    """Bring tools (all, or those NAMES with what they call) and saved theories to a server that shares.

    It is signed by the key of the home (`pif key create`), which must be trusted there, and judged there as whatever comes from
    elsewhere: no name there changes its meaning. Only what is missing is sent.
    """
    from registry.sharing.manifest import check_namespace
    from registry.sharing.places import server_at
    from registry.sharing.tokens import read_token

    check_namespace(namespace)
    with server_at(address, read_token(token_file, token_variable)) as wire:
        answer = _push(
            context, wire, namespace, names, theories, all_theories=all_theories, questions=questions
        )
    status = context.answer(answer, lambda done: show_pushed(context, done))
    return status or int(is_partial(answer))


def _push(
    context: CommandContext,
    wire: Any,
    namespace: str,
    names: tuple[str, ...] = (),
    theories: tuple[str, ...] = (),
    *,
    all_theories: bool,
    questions: bool,
) -> Answer:
    from registry.sharing.publication import left_out
    from registry.sharing.push import Pusher, fits
    from registry.sharing.questions import Questions
    from registry.sharing.theories import index_hash

    with context.workspace() as workspace:
        content, given = _content(context, workspace, names, theories, all_theories=all_theories)
        home = context.home().path
        asked = given_questions(workspace, home, fits=fits) if questions else Questions()
    content.objects.update(asked.objects)
    pusher = Pusher(wire, content, home, namespace, index_hash(given.rows), asked.index)
    _gave(context, given.rows)
    with context.screen.progress("objects", 0) as report:
        answer: Answer = pusher.push((lambda done, of: report(done)) if report else lambda done, of: None)
    return {**answer, "refused": [*left_out(content.left, given.left), *answer["refused"]]}


@command("sync")
@click.option(
    "--with", "address", type=text, required=True, metavar="ADDRESS", help="https://HOST/mcp of a server."
)
@namespace_option
@all_theories_option
@questions_option
@token_options
def sync(
    context: CommandContext,
    address: str,
    namespace: str,
    all_theories: bool,
    questions: bool,
    token_file: Path | None,
    token_variable: str,
) -> int:
    """Pull all that is new at a server, then push all that is new here."""
    from registry.sharing.manifest import check_namespace
    from registry.sharing.places import opened, server_at
    from registry.sharing.pull import Puller
    from registry.sharing.tokens import read_token

    check_namespace(namespace)
    token = read_token(token_file, token_variable)
    with server_at(address, token) as wire:
        with context.workspace(changes=True) as workspace:
            place = opened(address, token)
            try:
                puller = Puller(workspace, context.home().path, place)
                pulled = _all(
                    context, workspace, puller, tools=True, theories=all_theories, questions=questions
                )
            finally:
                place.close()
        try:
            pushed = _push(context, wire, namespace, all_theories=all_theories, questions=questions)
        except RegistryError as error:  # what was pulled stays, and is told
            pushed = {"type": "error", "added": [], "refused": [], "ended": error.as_json()}
    answer: Answer = {"type": "both_ways", "pulled": pulled, "pushed": pushed}

    def say(done: Answer) -> None:
        show_pulled(context, done["pulled"])
        show_pushed(context, done["pushed"])

    status = context.answer(answer, say)
    return status or int(is_partial(pulled) or is_partial(pushed))


COMMANDS = (publish, pull, push, sync)

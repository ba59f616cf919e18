"""Commands about laws of tools: verify, certificate check, certificate export (docs/reference/registry.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kleis import durable_files
from registry.cli.kleis.shared.workers import check_address, noting
from registry.cli.pif import law_views as views
from registry.cli.pif.completion import own_tool_names, tool_names
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.commands import SECONDS, deadline_of
from registry.cli.terminal.live_line import LiveLine
from registry.cli.terminal.proof_time import proving
from registry.cli.terminal.session import command, group
from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError
from registry.records import own_name

if TYPE_CHECKING:
    from registry.laws.law_workers import LawWorkers

__all__ = ["COMMANDS"]

_STATUS = {"proved": 0, "refuted": 1, "tested": 3, "untested": 3}


@command("verify")
@click.argument("proposition", type=text)
@click.option("--lemma", "lemmas", type=text, multiple=True, help="A law that is proved first (repeatable).")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="The most time for proofs.")
def verify(context: CommandContext, proposition: str, lemmas: tuple[str, ...], timeout: float | None) -> int:
    """Decide a Kleis proposition about tools; nothing is kept.

    For example '∀(x : ℤ). square(x) ≥ 0', or 'safe(square)'. A tool whose name Kleis uses itself is tool_NAME:
    tool_sum, tool_reverse. Exit status: 0 proved, 1 refuted or no proposition, 3 neither (then it was tested).
    """
    with context.workspace() as workspace, proving(timeout, proposition) as deadline:
        answer = workspace.verify(proposition, lemmas=lemmas, deadline=deadline)
    status = context.answer(answer, lambda found: views.law(context.screen, found))
    return status or _STATUS[answer["status"]]


@group("certificate")
def certificate() -> None:
    """Check the certificates of laws, write them to files, or renew them."""


@command("check")
@click.argument("tools", type=text, metavar="NAME[@V]...", nargs=-1, shell_complete=tool_names)
@click.option("--all", "every", is_flag=True, help="Every tool of the home that has laws.")
@click.option("--library", is_flag=True, help="Every tool of the standard library that has laws.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Check N tools at a time (default: processors).",
)
def check(
    context: CommandContext, tools: tuple[str, ...], every: bool, library: bool, jobs: int | None
) -> int:
    """Check the laws of tools again from nothing.

    Their code is translated again, each law is read again, and everything in its certificate is parsed, encoded and
    solved again; laws without a proof are tried again at the same points. Exit status 1 if one does not hold.
    """
    if not (tools or every or library):
        raise click.UsageError("name a tool, or pass --all or --library")
    if len(tools) == 1 and not (every or library):
        with context.workspace() as workspace:
            answer = workspace.check_laws(tools[0])
        status = context.answer(answer, lambda found: views.checked(context.screen, found))
        return status or (0 if answer["ok"] else 1)
    return _check_several(context, tools, every=every, library=library, jobs=jobs)


def _check_several(
    context: CommandContext, tools: tuple[str, ...], *, every: bool, library: bool, jobs: int | None
) -> int:
    """Check several tools at a time, and say what was found of each, in order, as soon as those before it are there.

    No cluster helps: a check believes nobody, so it is made on this machine.
    """
    from kleis.prover.process.deadline import processors
    from registry.laws.requests import tools_with_laws

    found: list[Answer] = []
    with context.workspace() as workspace:
        for whole, wanted in ((False, every), (True, library)):
            tools += tuple(tools_with_laws(workspace.tools(), library=whole)) if wanted else ()
        names = list(dict.fromkeys(tools))
        assert workspace.prover is not None, "made here, once, before several threads ask for it"
        with (
            closing(_answers(workspace.check_laws, names, jobs or processors())) as answers,
            LiveLine(lambda: f"{len(found)} of {len(names)} tools", wanted=not context.as_json) as line,
        ):
            for each, answer in zip(names, answers, strict=True):
                found.append(answer)
                if not context.as_json:
                    with line.hidden():
                        context.answer(
                            answer, lambda one: views.checked(context.screen, one, named=True), title=each
                        )
    ok = all(answer.get("ok", False) for answer in found)
    if context.as_json:
        context.answer({"type": "laws_of_tools", "ok": ok, "tools": found}, lambda answer: None)
    else:
        views.checked_together(context.screen, found)
    return 0 if ok else 1


def _answers(ask: Callable[[str], Answer], names: Sequence[str], jobs: int) -> Generator[Answer]:
    """The answers about tools, in order, asked in so many threads; each proof and check is in a process of its own."""
    executor = ThreadPoolExecutor(jobs, thread_name_prefix="pif-check")
    try:
        yield from executor.map(ask, names)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


@command("renew")
@click.argument("tools", type=text, metavar="NAME[@V]...", nargs=-1, shell_complete=own_tool_names)
@click.option("--all", "every", is_flag=True, help="All versions of all tools of the home.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Look at N versions at a time (default: processors).",
)
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="The most time; what is left stays claimed.")
@click.option(
    "--cluster", default="", metavar="ADDRESS",
    help="Have workers prove what is proved anew: tcp://HOST:PORT of a Dask scheduler, or local:N. Their certificates are checked here.",
)  # fmt: skip
def renew(
    context: CommandContext,
    tools: tuple[str, ...],
    every: bool,
    jobs: int | None,
    timeout: float | None,
    cluster: str,
) -> int:
    """Believe laws that are only claimed, where that can be shown.

    A law is claimed after an import that could not check it, and after an update of this program that has a new format of
    certificates. Its certificate is checked; if that does not show it, it is proved anew. Exit status 1 if a claimed law
    is not proved in the end.
    """
    if bool(tools) == every:
        raise click.UsageError("name tools, or pass --all")
    from kleis.prover.process.deadline import processors

    if cluster:
        check_address(cluster)
    with context.workspace() as workspace, _law_workers(context, cluster) as workers:
        answer = workspace.renew_laws(
            tools, deadline=deadline_of(timeout), jobs=jobs or processors(), workers=workers
        )
    status = context.answer(answer, lambda found: views.renewed(context.screen, found))
    return status or (0 if answer["ok"] else 1)


@contextmanager
def _law_workers(context: CommandContext, address: str) -> Iterator[LawWorkers | None]:
    """The workers of an address, with a line of progress on a terminal; None without an address."""
    if not address:
        yield None
        return
    from kleis.batches.cluster import Cluster
    from registry.laws.law_workers import LawWorkers

    at = (0, 0)

    def told(answered: int, asked: int) -> None:
        nonlocal at
        at = answered, asked

    def said() -> str:
        return f"{at[0]} of {at[1]} versions answered by workers" if at[1] else ""

    with Cluster(address) as cluster, LiveLine(said, wanted=not context.as_json) as line:
        yield LawWorkers(cluster.opening, note=noting(line), told=told)


@command("export")
@click.argument("tool", type=text, metavar="NAME[@V]", shell_complete=tool_names)
@click.argument("directory", type=path, metavar="DIR")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def export(context: CommandContext, tool: str, directory: Path, overwrite: bool) -> int:
    """Write the certificates of a tool's laws to files.

    One file a law that is proved, NAME-1.json and so on, for `kleis certificate check`, which needs no home.
    """
    from registry.laws.requests import proofs

    with context.workspace() as workspace:
        record = workspace.record(tool)
        there = workspace.namespace_of(record.name)
        found = proofs(record, there.tools(), there.store)
    if not found:
        raise RegistryError(
            "invalid_argument", f"no law of {record.reference} has a certificate", place="name", tool=record.reference,
            hint="`show` tells what is known of its laws.",
        )  # fmt: skip
    files = [directory / f"{own_name(record.name)}-{place}.json" for place in range(1, len(found) + 1)]
    taken = next((file for file in files if file.exists()), None)
    if taken is not None and not overwrite:
        raise RegistryError(
            "invalid_argument", "there is a file of that name already", place="directory", found=str(taken),
            hint="choose another directory, or allow overwriting",
        )  # fmt: skip
    _write(directory, {file: written for file, (_, written) in zip(files, found, strict=True)})
    listed = [{"law": law.law, "file": str(file)} for file, (law, _) in zip(files, found, strict=True)]
    answer: Answer = {"type": "certificates", "tool": record.reference, "files": listed}
    return context.answer(answer, lambda written: views.exported(context.screen, written))


def _write(directory: Path, texts: dict[Path, str]) -> None:
    """Write certificates, which are in canonical bytes, to files of a directory, which is made where it is not there."""
    from registry.laws.certificates import UnreadableCertificate, read_text

    try:
        for written in texts.values():
            read_text(written)
        directory.mkdir(parents=True, exist_ok=True)
        for file, written in texts.items():
            durable_files.write_whole(file, written.encode(), mode=0o644, durable=False)
    except UnreadableCertificate as error:
        raise RegistryError(
            "invalid_argument",
            str(error),
            place="name",
            hint="`certificate check` tells which of its laws hold.",
        ) from None
    except OSError as error:
        raise RegistryError(
            "invalid_argument", f"the certificates cannot be written: {error.strerror or error}", place="directory",
            found=str(directory), hint="choose a directory that can be written to",
        ) from None  # fmt: skip


certificate.add_command(check)
certificate.add_command(export)
certificate.add_command(renew)

COMMANDS = (verify, certificate)

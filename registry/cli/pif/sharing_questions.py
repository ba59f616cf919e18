"""Certificates of questions that belong to no theory, as the commands on sharing give them and take them in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from registry.cli.terminal.command_context import Answer

if TYPE_CHECKING:
    from registry.sharing.pull import Puller
    from registry.sharing.questions import Questions
    from registry.workspace.workspace import Workspace

__all__ = ["given_questions", "pulled_questions"]


def given_questions(
    workspace: Workspace,
    home: Path,
    files: tuple[Path, ...] = (),
    fits: Callable[[bytes], bool] | None = None,
) -> Questions:
    """The certificates of questions that a home gives, as far as they fit, those in files among them, which are checked and filed first."""
    from kleis.prover.process.broker import Broker
    from registry.sharing.questions import file_certificates, questions_of
    from registry.store.shared_state import certificate_storage

    storage = certificate_storage(workspace.store, home)
    if files:
        with Broker() as broker:
            file_certificates(files, home, storage, broker)
    return questions_of(home, storage) if fits is None else questions_of(home, storage, fits)


def pulled_questions(workspace: Workspace, home: Path, puller: Puller) -> Answer:
    """Certificates of questions taken in, each checked here; the answer of the command."""
    from kleis.prover.process.broker import Broker
    from registry.sharing.questions import pull_questions
    from registry.store.shared_state import certificate_storage

    with Broker() as broker:
        return pull_questions(puller, home, certificate_storage(workspace.store, home), broker)

"""A conversation over a home of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kleis.conversation.conversation import Conversation
from kleis.conversation.interruption import interruptible
from kleis.conversation.reply import Reply
from kleis.sessions.sessions import Sessions, open_sessions

Say = Callable[[str], list[Reply]]


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    found = open_sessions(tmp_path / "home", environment={}, directory=tmp_path, roots=(tmp_path,))
    yield found
    found.close()


@pytest.fixture
def conversation(sessions: Sessions) -> Conversation:
    return Conversation(sessions, "talk")


@pytest.fixture
def say(conversation: Conversation) -> Say:
    """The replies to a text."""

    def replies(text: str) -> list[Reply]:
        with interruptible() as deadline:
            return [*conversation.replies(text, deadline)]

    return replies

"""`readFile`: files are read only where a directory was granted, and only below it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.budget import STANDARD_BUDGET, Budget
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.tree import Call, Text
from kleis.values import Value
from tests.support.theories.running import environment


def read(path: str, root: Path | None, budget: Budget = STANDARD_BUDGET) -> Value:
    return evaluate(Call("readFile", (Text(path),)), environment(granted_root=root), budget).value


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    granted = tmp_path / "granted"
    (granted / "deep").mkdir(parents=True)
    (granted / "deep" / "file").write_text("line\r\nλ", encoding="utf-8", newline="")
    (granted / "binary").write_bytes(b"\xff\xfe")
    (granted / "out").symlink_to(tmp_path / "secret")
    (granted / "in").symlink_to(granted / "deep" / "file")
    return granted


def test_a_file_below_the_root(root: Path) -> None:
    assert read("deep/file", root) == "line\r\nλ"
    assert read(str(root / "deep" / "file"), root) == read("in", root) == "line\r\nλ"


@pytest.mark.parametrize(
    "path", ["../secret", "out", "/etc/passwd", "deep/../../secret", "missing", "deep", "binary", "a\0b", ""]
)
def test_everything_else_is_refused(root: Path, path: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        read(path, root)
    assert caught.value.code == "file"


def test_nothing_is_granted_by_default(root: Path) -> None:
    with pytest.raises(EvaluationError) as caught:
        read(str(root / "deep" / "file"), None)
    assert caught.value.code == "file"
    assert "not permitted" in caught.value.message


def test_a_root_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError):
        read("file", tmp_path / "nowhere")


def test_a_large_file_is_refused_before_it_is_read(root: Path) -> None:
    (root / "large").write_bytes(b"a" * 5000)
    with pytest.raises(BudgetError):
        read("large", root, Budget(size=1000))


def test_a_refused_file_is_not_hidden_by_a_connective(root: Path) -> None:
    """Whether a file may be read is no matter of definedness."""
    failing = Call(
        "logical_or", (Call("equals", (Call("readFile", (Text("missing"),)), Text(""))), Call("True", ()))
    )
    with pytest.raises(EvaluationError):
        evaluate(failing, environment(granted_root=root), STANDARD_BUDGET)

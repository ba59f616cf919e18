"""Without the extras: an error that names the extra, and everything else goes on.  And the child process."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from kleis.documents import extras
from kleis.documents.child import Limits, run_child
from kleis.documents.compile import compile_document
from kleis.documents.draw import draw_picture
from kleis.documents.labels import clean, label_text
from kleis.errors import BudgetError, EvaluationError
from kleis.pictures.picture import Picture, Series
from registry.cli.kleis.files.plots import draw_tested
from registry.cli.kleis.files.test import run_files
from registry.cli.kleis.shared.loading import make_loader

PICTURE = Picture((Series("plot", ((0.0, 1.0), (1.0, 2.0))),))


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)


@pytest.mark.usefixtures("without")
def test_an_error_names_the_extra() -> None:
    with pytest.raises(EvaluationError) as caught:
        draw_picture(PICTURE, "svg")
    assert (caught.value.code, "pif-kleis[numeric]" in caught.value.hint) == ("needs_extra", True)
    with pytest.raises(EvaluationError) as caught:
        compile_document("text")
    assert (caught.value.code, "pif-kleis[documents]" in caught.value.hint) == ("needs_extra", True)


@pytest.mark.usefixtures("without")
def test_the_rest_of_a_file_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "a.kleis"
    file.write_text('example "a" { let d = diagram(plot([1, 2], [3, 4])) assert(1 + 1 = 2) }\n')
    reports = list(run_files(make_loader(()), [str(file)], jobs=0))
    assert all(report.ok for report in reports)
    answer, complete = draw_tested(reports, tmp_path / "plots", dark=False)
    assert not complete
    assert answer["error"]["code"] == "needs_extra"
    assert [each["example"] for each in answer["pictures"]] == ["a"]
    json.dumps(answer)


# ── The child process ────────────────────────────────────────────────────────────────────────────────────────


class Asked(msgspec.Struct, frozen=True):
    what: str


class Said(msgspec.Struct, frozen=True):
    text: str


def job(request: Asked) -> Said:
    import os

    match request.what:
        case "fail":
            raise ValueError("it cannot be")
        case "loop":
            while True:
                pass
        case "memory":
            return Said("x" * (3 << 30))
        case "die":
            os._exit(7)
        case "environment":
            return Said(f"{os.environ.get('SECRET_OF_THE_TEST')} {os.environ['HTTPS_PROXY']} {os.getcwd()}")
    return Said(request.what)


def run(what: str, **limits: float) -> str:
    given = msgspec.convert({"wall": 20.0, **limits}, Limits)
    return run_child(f"{__name__}:job", Asked(what), Said, purpose="the test", limits=given).text


def test_an_answer_and_an_error() -> None:
    assert run("hello") == "hello"
    with pytest.raises(EvaluationError) as caught:
        run("fail")
    assert (caught.value.code, caught.value.message) == ("document", "it cannot be")


@pytest.mark.parametrize(
    ("what", "limits"), [("loop", {"wall": 1.5}), ("memory", {"memory": 1024}), ("die", {})]
)
def test_limits(what: str, limits: dict[str, float]) -> None:
    with pytest.raises((BudgetError, EvaluationError)) as caught:
        run(what, **limits)
    assert isinstance(caught.value, BudgetError)


def test_a_cancelled_call_stops_the_child() -> None:
    with pytest.raises(BudgetError) as caught:
        run_child(f"{__name__}:job", Asked("loop"), Said, purpose="the test", running=lambda: False)
    assert "cancelled" in caught.value.message


def test_nothing_of_the_environment_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_TEST", "secret")
    said = run("environment")
    assert said.startswith("None http://127.0.0.1:9 /")
    assert str(Path.cwd()) not in said


# ── Texts of pictures ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$alpha_1$", r"$\alpha _{1}$"),
        ("rate $x^2$ in m", "rate $x^{2}$ in m"),
        ("$sqrt(x + 1)$", r"$\sqrt{x+1}$"),
        ("$x <= y$", r"$x\leq y$"),
    ],
)
def test_simple_mathematics(text: str, shown: str) -> None:
    assert label_text(text) == (shown, True)


@pytest.mark.parametrize(
    "text",
    [
        r"$\input{/etc/passwd}$",
        r"\input $x$",
        "$read(x)$",
        "$x",
        "$$",
        "$#x$",
        r"$\includegraphics{a}$",
        "$x^$",
        "$" * 9,
    ],
)
def test_anything_else_is_drawn_as_it_is_written(text: str) -> None:
    assert label_text(text) == (text, False)


def test_characters_that_control_something_are_left_out() -> None:
    assert clean("a\x00b\x1b[31mc\u202ed\u2066e\ufffef\ud800g\u200fh") == "ab[31mcdefgh"
    assert clean("שלום") == "שלום"
    assert clean("x\n" * 40).count("\n") == 11

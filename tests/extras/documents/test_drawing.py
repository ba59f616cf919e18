"""Pictures drawn by matplotlib: the same bytes every time, like the references, and no text that runs anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

REASON = "needs the extra numeric"
pytest.importorskip("matplotlib", reason=REASON)
pytest.importorskip("scipy", reason=REASON)

from click.testing import CliRunner  # noqa: E402 - after the packages that it needs
from PIL import Image  # noqa: E402

from kleis.documents.child import Limits  # noqa: E402
from kleis.documents.draw import draw_picture, draw_pictures  # noqa: E402
from kleis.pictures.picture import Picture, Series  # noqa: E402
from registry.cli.kleis.commands import kleis  # noqa: E402
from tests.support.theories.reference_pictures import REFERENCES, TEXTS, distance, picture, thumbnail  # noqa: E402


@pytest.fixture(scope="module")
def drawn() -> dict[str, bytes]:
    files = draw_pictures([picture(text) for text in TEXTS.values()], "png")
    return dict(zip(TEXTS, files, strict=True))


@pytest.mark.parametrize("name", TEXTS)
def test_it_looks_like_its_reference_and_like_no_other(name: str, drawn: dict[str, bytes]) -> None:
    mine = thumbnail(drawn[name])
    distances = {each: distance(mine, Image.open(REFERENCES / f"{each}.png")) for each in TEXTS}
    assert distances[name] < 0.03
    assert min(far for each, far in distances.items() if each != name) > 2 * distances[name] + 0.01


def test_the_same_bytes_every_time_and_other_bytes_in_the_dark(drawn: dict[str, bytes]) -> None:
    assert draw_picture(picture(TEXTS["boxes"]), "png") == drawn["boxes"]
    light, dark = (draw_picture(picture(TEXTS["lines"]), "svg", dark=each) for each in (False, True))
    assert light != dark
    assert b"#1b1e23" in dark
    assert light == draw_picture(picture(TEXTS["lines"]), "svg")


PATIENT = Limits(wall=240.0, cpu=120)
EXTREME = ((1e-300, 1e300), (0.0, 5e-324), (1e15, 1e15 + 1))

HOSTILE = [
    r"$\input{/etc/passwd}$",
    r"$\frac{1}{2}$ \usepackage{x}",
    "$" * 101,
    "$x_$",
    "<script>alert(1)</script> & ]]> --> <!--",
    "a\x00\x07\x1b[2J\ufffe b",
    "\u202etxet \u2066x\u2069 \u200f",
    "עברית العربية ไทย 漢字 🙂",
    "x" * 100_000,
    "line\n" * 500,
    "%s {0} %(name)s \\N{DASH}",
    "_hidden",
]


def test_hostile_texts_are_drawn_as_text(tmp_path: Path) -> None:
    pictures = [
        Picture(
            (
                Series("plot", ((0.0, 1.0), (0.0, 1.0)), "", {"label": text}),
                Series("place", ((0.5, 0.5),), text, {}),
            ),
            (),
            {
                "title": text,
                "xlabel": text,
                "ylabel": text,
                "xaxis_ticks": [text, text],
                "yaxis_tick_suffix": text,
            },
        )
        for text in HOSTILE
    ]
    for text, data in zip(HOSTILE, draw_pictures(pictures, "svg", limits=PATIENT), strict=True):
        root = ElementTree.fromstring(data)
        names = {each.tag.rpartition("}")[2] for each in root.iter()}
        assert not names & {"script", "image", "text", "foreignObject", "a"}, text
        outside = [each for each in re.findall(rb'(?:href|src)="([^"]*)"', data) if not each.startswith(b"#")]
        assert outside == []
        assert b"root:" not in data
        assert len(data) < 20_000_000


def test_extreme_numbers_are_drawn() -> None:
    for data in draw_pictures(
        [Picture((Series("plot", (xs, xs)),)) for xs in EXTREME], "svg", limits=PATIENT
    ):
        ElementTree.fromstring(data)


def test_the_command_draws_what_blocks_made(tmp_path: Path) -> None:
    file = tmp_path / "a.kleis"
    file.write_text('example "one" { diagram(plot([1, 2], [3, 4]), title = "t") assert(1 + 1 = 2) }\n')
    done = CliRunner().invoke(kleis, ["test", str(file), "--exact", "--plots", str(tmp_path / "p"), "--json"])
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["plots"]["pictures"]
    assert (found["example"], found["title"], found["series"][0]["points"]) == ("one", "t", 4)
    files = sorted(each.name for each in (tmp_path / "p").iterdir())
    assert files == [f"{found['name']}.png", f"{found['name']}.svg"]
    assert (tmp_path / "p" / files[0]).read_bytes().startswith(b"\x89PNG")

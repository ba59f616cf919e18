"""The twelve pictures that are compared with references, and the distance between pictures."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

from kleis.budget import STANDARD_BUDGET
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.pictures.picture import Picture
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program

__all__ = ["REFERENCES", "TEXTS", "distance", "picture", "thumbnail"]

REFERENCES = Path(__file__).parents[2] / "extras" / "documents" / "reference"

TEXTS = {
    "lines": 'diagram(plot([0,1,2,3],[0,1,4,9],label="$x^2$",mark="o"), plot([0,1,2,3],[0,1,2,3],label="x",stroke="2pt + red"), title="Powers $alpha_1$", xlabel="x", ylabel="y", grid=true, legend_position="left + top")',
    "bars": 'diagram(bar([0,1,2],[3,5,2],offset=-0.2,width=0.4,label="a"), bar([0,1,2],[2,4,4],offset=0.2,width=0.4,fill="orange.lighten(30%)",label="b"), xaxis_ticks=["one","two","three"], xaxis_tick_rotate=30)',
    "points": 'diagram(scatter([1,2,3,4],[4,3,5,1],colors=[1,2,3,4],colormap="plasma",mark="diamond",mark_size=9), place(2,3,"here",align="top + right"), path([(1,1),(2,2),(3,1)],fill="aqua",closed=true))',
    "heat": 'diagram(heatmap([[1,2,3],[4,5,6]]), theme="dark")',
    "field": "diagram(contour([[0,1,2],[1,3,1],[0,1,5]]), quiver([0,1,2],[0,1],[[1,0,0,1,1,1],[0,1,1,0,-1,1]]))",
    "schoolbook": 'diagram(plot([-2,-1,0,1,2],[4,1,0,1,4],smooth=true), theme="schoolbook", xaxis_tick_unit=1)',
    "boxes": 'diagram(boxplot([1,2,3,4,9],[2,3,4]), title="boxes")',
    "stems": 'diagram(stem([1,2,3],[2,-1,4]), fill_between([1,2,3],[1,2,1],y2=[0,1,0]), hstem([1,2],[3,4],color="red"))',
    "axes": 'diagram(plot([0,10],[0,10]), yaxis(plot([0,10],[100,1],color="red"),axis_label="second"), xaxis(functions=["x => 1.8*x+32","x => (x-32)/1.8"],axis_label="°F"))',
    "areas": 'diagram(stacked_area([0,1,2],[1,2,1],[2,1,2]), margin_top="20%", xaxis_subticks="auto", yaxis_mirror=true)',
    "logarithms": 'diagram(plot([1,10,100],[1,100,10000],yerr=[0.5,10,500]), xscale="log", yscale="log")',
    "across": 'diagram(hbar([1,2],[3,4]), hboxplot([1,2,3],[2,4]), xaxis_tick_suffix="pi", xaxis_tick_unit=1)',
}  # fmt: skip


def picture(text: str) -> Picture:
    """The picture that an expression makes."""
    (found,) = evaluate(parse_expression(text), environment_of(Program(())), STANDARD_BUDGET).pictures
    return found


def thumbnail(data: bytes) -> Any:
    """A PNG as a small grey picture."""
    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("L").resize((96, 64))


def distance(first: Any, second: Any) -> float:
    """The share of differing bits of two pictures' hashes: of 512 neighbours, which one is the lighter by a little."""
    bits = [_bits(each) for each in (first, second)]
    return sum(one != other for one, other in zip(*bits, strict=True)) / len(bits[0])


def _bits(image: Any) -> list[bool]:
    small = image.resize((17, 32))
    levels = list(small.tobytes())
    rows = [levels[place : place + 17] for place in range(0, len(levels), 17)]
    return [left > right + 2 for row in rows for left, right in pairwise(row)]


if __name__ == "__main__":  # write the references anew
    from kleis.documents.draw import draw_pictures

    for name, data in zip(
        TEXTS, draw_pictures([picture(text) for text in TEXTS.values()], "png"), strict=True
    ):
        thumbnail(data).save(REFERENCES / f"{name}.png", optimize=True)

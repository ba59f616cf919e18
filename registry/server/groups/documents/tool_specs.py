"""The tools of the group `documents` as clients see them (docs/reference/serving.md §6)."""

from __future__ import annotations

from registry.server.contract.group import ToolSpec
from registry.server.groups.documents import requests
from registry.server.groups.documents.answer_shapes import DocumentAnswer, PlotAnswer

__all__ = ["BRIEF", "INSTRUCTIONS", "TOOLS"]

INSTRUCTIONS = """\
Documents: pictures and papers of theory sessions.
- a picture from an expression: `draw_plot` (an image, and its SVG as a resource)
- a paper of a session: `assemble_document` (prose, declarations, verdicts with certificates' hashes, plots; PDF as a resource)
Nothing is downloaded and no file is read. Needs the extras numeric and documents."""

BRIEF = """\
Documents: `draw_plot` draws an expression such as diagram(plot(xs, ys)); `assemble_document` makes a paper of a theory \
session as PDF, under the address that it answers."""

TOOLS = (
    ToolSpec(
        name="draw_plot",
        title="Draw a plot",
        description="Draw the picture that an expression makes, in a theory session. Elements: plot, scatter, bar, stem, "
        "fill_between, boxplot, heatmap, contour, quiver, place, path, yaxis; diagram(elements, title = …, xlabel = …) "
        "puts them together. Answers an image; the SVG is at the address `uri`.",
        arguments=requests.DrawPlot,
        answers=(PlotAnswer,),
        example={"expression": 'diagram(plot([0, 1, 2], [0, 1, 4], label = "$x^2$"), title = "Squares")'},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="assemble_document",
        title="Assemble a paper",
        description="Make a paper of a theory session: title, abstract and sections in prose, what the session declares, "
        "propositions with their verdicts and the hashes of their certificates, plots with captions. The PDF is at the "
        "address `uri`, for as long as the server runs.",
        arguments=requests.AssembleDocument,
        answers=(DocumentAnswer,),
        example={
            "title": "Squares",
            "sections": [{"heading": "Result", "text": "No square is *negative*, see @figure-1."}],
            "propositions": ["∀(x : ℝ). x * x ≥ 0"],
            "plots": [{"expression": "plot([0, 1, 2], [0, 1, 4])", "caption": "Squares"}],
        },
        read_only=True,
    ),
)

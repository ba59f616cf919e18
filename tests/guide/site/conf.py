"""The configuration of Sphinx, for `python -m tests.guide.site` alone, which stages the pages first."""

from importlib.metadata import version as _version

project = "PIF + Kleis"
author = "the authors of PIF + Kleis"
release = version = _version("pif-kleis")

extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_enable_extensions: list[str] = []
highlight_language = "text"
nitpicky = True
# What a terminal shows is no program: an argument that goes on in the next line is no mistake there.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "PIF + Kleis"
html_static_path: list[str] = []
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}

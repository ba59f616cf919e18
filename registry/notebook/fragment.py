"""A view as a part of a page that others made: a notebook, whatever its program.

Programs that show notebooks leave out what they do not trust: scripts always, often styles and frames. So a fragment is
plain elements that say everything as they are; its style holds within it alone, and nothing is lost without it. A document
in a frame would be left out whole.
"""

from __future__ import annotations

import re
from functools import cache

from registry.views.markup import Markup, element
from registry.views.page import View
from registry.views.page.document import style

__all__ = ["fragment"]

_THEMES = """
.kleis-view { color-scheme: light dark; }
[data-jp-theme-light="true"] .kleis-view, .vscode-light .kleis-view { color-scheme: light; }
[data-jp-theme-light="false"] .kleis-view, .vscode-dark .kleis-view { color-scheme: dark; }
"""
"""Light or dark as JupyterLab and VS Code say, else as the system does."""

_PAGE = re.compile(r"(?<![\w-])(?::root(?:\[[^\]]*\])?|body|main)(?=[\s,{])")


def fragment(view: View) -> str:
    """The view as HTML for a page that is there."""
    styled = Markup(f"<style>{_THEMES}@scope (.kleis-view) {{\n{_scoped()}}}</style>")
    return str(element("div", styled, view.body, class_="kleis-view"))


@cache
def _scoped() -> str:
    """The stylesheet with the fragment in the place of the page."""
    return _PAGE.sub(":scope", style())

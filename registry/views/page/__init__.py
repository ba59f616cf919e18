"""The document around a view.

- `document`: style, script and policy, put around the body of a view

Beside it are `style.css`, the one stylesheet (light, dark, print), and the modules of the script: folding and search, and the bridge to an
MCP host.
"""

from registry.views.page.document import View, document, policy_of

__all__ = ["View", "document", "policy_of"]

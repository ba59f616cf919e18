"""The document around a view.

- `document`: style, script and policy, put around the body of a view

Beside it are `style.css`, the one stylesheet (light, dark, print), and the modules of the script: `enhance` (folding and search), `calls` (buttons
and forms that call tools), `app` (the bridge to an MCP host) and `ui` (the bridge of `pif ui` to its server).
"""

from registry.views.page.document import Place, View, document, fragment, policy_of

__all__ = ["Place", "View", "document", "fragment", "policy_of"]

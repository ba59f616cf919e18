"""The registry: tools and their versions, and the ways to reach them.

| module | what it holds |
|---|---|
| `tool`, `store` | the record of a tool, and where records outlive the process; `store.sqlite` ships |
| `tools_view` | a snapshot as the evaluator sees it, decoded and resolved once |
| `evolution` | from what `evolve` is sent to a tool that can be kept |
| `law_record`, `keeping_laws`, `asking_laws`, `showing` | laws of versions: kept, settled by `evolve`, asked and checked again, shown |
| `law_spelling` | hints for laws that name a tool there is none of |
| `workspace` | everything that can be done with PIF tools, for the server and the commands alike; what to call first |
| `admission` | how many runs may go on at once |
| `difference`, `help` | how tools differ; the language explained |
| `bridge` | where the languages meet: tools as Kleis definitions, laws, runs that ask theories, conjectures |
| `library`, `library_laws` | the tools of `stdlib/pif`, under every home; their laws and certificates |
| `proving_library` | makes these certificates (`make certificates`) |
| `composition`, `dependants`, `graph` | tools made of tools, who uses which, pictures of it |
| `aristotle` | jobs of the proving service for Lean, and whether to believe what comes back |
| `drawing`, `publication` | graphs as Mermaid and SVG; a theory's paper written into a corpus |
| `server` | MCP: the only package that imports the SDK |
| `cli` | the commands `pif` and `kleis` |

Every method of `workspace.Workspace` answers one JSON object and raises nothing on account of what a user sends.
"""

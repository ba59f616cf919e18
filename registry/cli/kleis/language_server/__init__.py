"""`kleis lsp`: the language server, over standard input and output.

- `text_positions`: places of a text as editors count them: lines, and UTF-16 units
- `project`: the files of the folders that an editor has open, and their texts
- `reading`: a text parsed, loaded and its names checked
- `elaboration`: what `kleis check` finds besides, in a process that can be killed
- `proving`: a lemma or an assertion decided
- `protocol_forms`: what is found, in the types of the protocol
- `answers`: what is answered to questions about a place of a text
- `open_files`: the texts that an editor has open: read when they change, what is out of date given up
- `server`: the server and what it offers

Call `server.run_server`.  Only `protocol_forms`, `answers`, `open_files` and `server` import pygls and lsprotocol, the
extra `lsp`.  What is about the language and not about the protocol is in `kleis/editing/`.

Invariants
    * No text ends the server, and none delays what is asked about another for longer than it takes to parse.
    * An answer about a text is about the version that the editor has when it is asked for, or says nothing.
    * No process of the prover outlives its question, the text it is about, or the server.
"""

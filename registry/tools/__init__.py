"""What is known of tools without Kleis.

- `library`: the standard library `std.…`, and the certificates of its laws
- `full_names`: names spelled in full in the code of teams
- `snapshot_tools`: a snapshot of the store as the evaluators see it, with decoded terms and inferred types cached
- `example_outputs`: what value the output of an example says
- `answer_shapes`: the fields of answers about tools and terms
- `code_and_examples`: the code and the examples of `evolve`, checked
- `python_places`: where in the Python that was written an error is
- `argument_types`: what a tool's type says of its arguments; several at once
- `composition`: tools made of tools: `compose` and `transform`
- `analysis`: the answer of `analyze`
- `difference`: where the canonical forms of two versions differ
- `fuzzing`: a tool run on made-up inputs
- `help`: the answer of `help`, from the table of primitives
- `common_words`: words of other languages, and what does their work here
- `advice`: what to use instead of a name that nothing has

Callers begin with `snapshot_tools.SnapshotTools`. Nothing here writes to a store; `registry.workspace` does. A change to
an answer also touches `registry.workspace`, the views of `registry.cli.pif`, and `registry.server.groups.pif`.
"""

"""A corpus of papers whose claims are linked to declarations: read, checked, searched, walked, written.

The files of a corpus:

    index.json                    the papers: id, title, year, domain
    kernels.json                  executable kernels (may be missing)
    papers/ID/metadata.json       what the paper is; its other files: claims, assumptions, symbols, mapping,
    papers/ID/manifest.json       theorem_cards and the manifest with the graph of dependencies
    ../formal/….lean              Lean sources, where they are at hand

The modules, in reading order:

- `errors`: the error of a corpus, with its codes
- `records`: the contents of the files of a paper
- `reading`: where a corpus is, its files as checked records, whether the build hash in a manifest still fits its files
- `lean_source`: declarations and references read from Lean text
- `graph`: dependencies: slices, closures, topological order, cycles
- `edge_sources`: what in the Lean text an edge rests on
- `answer_shapes`: the fields of answers, as types
- `answers`: what the tools answer: listings, file filters, search, walks, audits
- `publishing`: a theory as the files of a paper
- `write_paper`: these files written into a corpus

What to call first: ``Corpus(find_corpus(given, environment, working))``, then a function of `answers`.  All modules but
`reading` and `write_paper` are pure.  Errors are `CorpusError`; a malformed file is never an empty list.

A change here usually touches `registry.server.groups.corpus` (tools and resources) and the commands `publish` and
`graph` in `registry.cli.kleis`.  See docs/reference/corpus.md.
"""

from __future__ import annotations

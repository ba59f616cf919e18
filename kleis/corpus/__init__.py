"""A corpus of papers whose claims are linked to declarations: read, checked, searched, walked (issue 10, items 4 and 5).

Specification: lean-and-corpus.md §3.  The layout is that of the scientific-memory corpus:

    index.json                    the papers: id, title, year, domain
    kernels.json                  executable kernels (may be missing)
    papers/ID/metadata.json       what the paper is; its other files: claims, assumptions, symbols, mapping,
    papers/ID/manifest.json       theorem_cards and the manifest with the graph of dependencies
    ../formal/….lean              Lean sources, where they are at hand

One phase, one module:

    location, reading             where a corpus is; its files as checked records, never outside of it
    listing, files                the declarations of a paper, as the original lists them and merged; file filters
    graph                         slices, closures, topological order, cycles
    lean_lexer, lean_source       declarations and references read from Lean text
    basis                         what in the text a published edge rests on
    freshness                     the build hash, and whether it is still true
    search                        declarations and claims by words
    publishing                    a theory as a paper of the same layout

Everything here is pure but `reading`, which only reads.  Refusals are `CorpusError`s; a file that is not what it
should be is never an empty list.
"""

from __future__ import annotations

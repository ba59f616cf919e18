"""Tools and saved theories exchanged between registries that do not trust each other (docs/reference/registry.md §3.1, ADR 050, ADR 051).

In reading order, the ground first:

- `identity`: what a tool means, as one hash over its code and all that it names
- `keys`: the key of a home, signatures, and whom a home trusts
- `manifest`: what a publisher says it has: the signed root, its shards, its rows
- `ledger`: what a home remembers of publishers and of the tools that it took in
- `publication`: the tools of a home as files that are named by their content, written to a directory
- `theories`: saved theories as a publication has them
- `theory_proofs`: certificates of what they state
- `questions`: certificates of questions that belong to no theory
- `web`: requests to a web server that may lie, stall or pour
- `sources`: where such files are read from: a directory, or a web server
- `wire`: calls of a running server of ours, which may lie too
- `server_source`: what such a server offers, as a source
- `places`: the source at an address
- `tokens`: tokens for servers, by reference
- `arrival`: files from a source, read and believed only as far as they are computed here
- `pull`: one tool, or all that is new, taken in
- `theory_check`: texts of theories read in a process that can be killed
- `theory_pull`: one theory taken in, with what it imports
- `push`: tools brought to a server
- `upstream`: a server behind a server, from which what is missing here is pulled
- `theory_catalogue`: the saved theories that a server offers
- `catalogue`: what a server offers, kept up to date by what has changed
- `staging`: what a push has brought so far
- `service`: what a server gives to those who pull, and takes from those who push
- `index_page`: a publication for people

What to call first: `publication.publish`, `pull.Puller`, `push.Pusher`; in a server `service.SharingService`. A publisher is believed only about what it offers: what a tool is, does and
costs is computed here, so a source that lies can at worst withhold.
"""

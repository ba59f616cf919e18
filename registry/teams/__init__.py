"""The tools that the members of a team have in common: a second store for each team (docs/reference/registry.md §2.9, ADR 030).

- `team_store`: a team's store, in which the names are `team/TEAM/NAME`
- `last_change`: the last change of a team's tools, told of or looked for
- `team_stores`: the stores of all teams of a home, opened once for a process
- `member`: what one principal may read and write of them
- `shared_theories`: the theories that teams share, for sessions

What to call first: `member.Member`. What a name in a team's code means is `registry.tools.full_names`; who is in a team is
`registry.access.teams`.
"""

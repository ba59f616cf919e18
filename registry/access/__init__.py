"""Who is asking: principals, their tokens, and what each may do (docs/reference/serving.md §3.6, ADR 026).

- `principals`: a principal, its scopes, and where what belongs to it is kept
- `tokens`: the tokens of a home: made, listed, revoked; kept as hashes
- `verifier`: the header `Authorization` as a principal, or the refusal
- `required_scopes`: which scope each method of MCP and each tool needs
- `shared_use`: what each uses, counted over processes
- `quotas`: how much each may use

Call `verifier.Verifier` first. Nothing here knows HTTP beyond one header, or MCP beyond names.
"""

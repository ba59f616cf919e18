"""Who is asking: principals, their tokens, and what each may do (docs/reference/serving.md §3.6, ADR 026).

- `principals`: a principal, its scopes, and where what belongs to it is kept
- `access_file`: a file about who may do what: replaced whole, read again when it changes
- `tokens`: the tokens of a home: made, listed, revoked; kept as hashes
- `verifier`: the header `Authorization` as a principal, or the refusal
- `issuer`: an authorization server: where its keys are, fetched within bounds
- `key_set`: its keys: looked for, rotated, lost
- `access_tokens`: its access tokens as principals
- `required_scopes`: which scope each method of MCP and each tool needs
- `teams`: the teams of a home: who may read and who may write in each
- `quotas`: how much each may use

Call `verifier.Verifier` first. Nothing here knows HTTP beyond one header, or MCP beyond names.
"""

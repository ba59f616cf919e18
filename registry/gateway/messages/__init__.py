"""The messages of clients: what is read of them, what is answered, and the names in both. Nothing here waits or keeps state.

- `names`: `server__tool`, and addresses of resources with their server, there and back
- `requests`: the text of a message to a request whose parts are the bytes that were sent
- `replies`: results in the form of either generation, errors, denials
- `generations`: which generation of the protocol a request is of
- `rewriting`: addresses in results, under the gateway's names
- `templates`: addresses that have the form of a template
- `instructions`: the instructions of all servers as one text
"""

"""The gateway's front: clients of both protocol generations, whose requests are judged, logged and handed on.

In reading order, the ground first:

- `names`: `server__tool`, and addresses of resources with their server, there and back
- `requests`: the text of a client's message to a request whose parts are the bytes that were sent
- `replies`: answers to clients: results in the form of either generation, errors, denials
- `records`: what a log is to the front: a line before anything is forwarded, one with the outcome
- `policies`: the policy in force, followed in threads; a decision on a call
- `judging`: a request judged and recorded before it is forwarded
- `catalogue`: what the servers of one client offer, as it is approved, under the gateway's names
- `listening`: whom a client's notifications go to: its connection, or streams that it has opened
- `client`: one client, a session or a principal: what each method does
- `gateway`: what all clients share
- `stdio`: one client on standard input and output
- `http`: many over streamable HTTP, with the tokens of the home
"""

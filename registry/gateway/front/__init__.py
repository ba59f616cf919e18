"""The gateway's front: what clients ask is judged, logged, handed on, and answered under the gateway's names.

In reading order, the ground first:

- `policies`: the policy in force, followed in threads; a decision on a call
- `judging`: a request judged and recorded before it is forwarded
- `catalogue`: what the servers of one client offer, as it is approved, under the gateway's names
- `reach`: which tools a principal is shown, as far as the prover knows
- `forwarding`: a request taken apart, judged and sent to its server
- `listening`: whom a client's notifications go to: its connection, or streams that it has opened
- `watching`: the resources that a client watches, also when their server starts anew
- `client`: one client, a session or a principal: what each method does
- `gateway`: what all clients share
"""

"""The log of calls: lines that are chained by digests, and checkpoints that are signed.

- `records`: what a log is to the front: a line before anything is forwarded, one with the outcome
- `key`: the key that signs checkpoints
- `chain`: lines as they stand in a file: each holds the digest of the one before it
- `refusals`: which of the refused messages have a line of their own, so that a flood fills no disk
- `writing`: a log that is written: one file for each gateway, in a folder
- `verifying`: whether a file is as it was written, and what cannot be known of it

Invariant: `chain` is all that writing and verifying have in common; what one writes the other reads.
"""

"""What servers say of themselves, as it was approved: names, descriptions, schemas, annotations, prompts, resources, instructions.

- `approvals`: what the front asks: is this what was approved?
- `lock_file`: the file of what was approved, and of what waits
- `pins`: the answers, by a lock file that may change beside
- `differences`: what has changed, with characters that nobody sees made visible
- `look_alikes`: names of different servers that a reader takes for one
"""

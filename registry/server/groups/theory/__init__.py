"""The group `theory`: theory sessions. The work is in `kleis.sessions`.

- `requests`: the arguments of each tool
- `tool_specs`: the tools as clients see them
- `text`: answers as text
- `submission_rows`: submissions as lists of them show these
- `origins`: where saved theories came from that were pulled
- `session_tools`: the tools about sessions as a whole
- `group`: the handlers
- `resources`: what it has under addresses, and the names that clients complete
- `job_tools`: `check_job`: work that a client leaves and comes back to
- `machine_tool`: the tool `check_machine`
- `explore_tool`: the tool `explore`, which needs PIF tools and is therefore found by name (`group.EXTRA_TOOLS`)
- `explore_workers`: workers of a cluster that it asks ahead
"""

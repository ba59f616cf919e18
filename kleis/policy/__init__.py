"""Policies: what an agent may do, written in Kleis, decided exactly and analysed by the prover.

    policy file ──loader──▶ Policy ──decide(action, arguments)──▶ Decision
                               │
                               ├── audit      conditions that never hold, commands that slip past, each with a witness
                               └── comparison stricter, looser, equal, incomparable, with witnesses

Call `policy.load_policy` and `Policy.decide`; `policy_file.PolicyFile` for a policy that follows its file.

- `actions`: the six actions, their arguments, and what is rejected before any rule is asked
- `answer_shapes`: the fields of answers
- `decision`: what the value of a rule means; preconditions
- `policy`: a loaded policy: its rules, and decisions
- `exact_json`: JSON that every parser reads alike, as values
- `calls`: calls of MCP servers, and decisions on them
- `promises`: what has to be proved before a policy is used
- `policy_file`: a policy that follows its file: reloaded when it changes, kept when the new text is broken
- `rule_conditions`: the conditions of a rule, branch by branch
- `deciding_condition`: the condition of a rule that decided about an action
- `argument_spellings`: what means the same to a shell or a file system, as regular languages
- `prover_questions`: propositions about a policy, given to the prover; witnesses decided again by the policy
- `questions_about_calls`: propositions about the rule of calls, and about two such rules
- `describe_rules`: rules and declarations as clients read them
- `audit_of_calls`: the findings about a rule of calls
- `audit`: the findings of an audit
- `compare_policies`: the comparison of two policies

A change here usually touches `registry.server.groups.policy` and `registry.cli.kleis.policies` too.  See
docs/reference/policy.md.

Decisions fail closed: whatever is not a definite yes denies, with the reason.  They use exact evaluation under a budget
and no prover.  Analyses use the prover; every witness they report has been decided by the policy itself.
"""

"""Policies: what an agent may do, written in Kleis, decided exactly and analysed by the prover.

    policy file ──loader──▶ Policy ──decide(action, arguments)──▶ Decision
                               │
                               ├── audit      rules that never fire, commands that slip past, each with a witness
                               └── comparison stricter, looser, equal, incomparable, with witnesses

    actions        the six actions, their arguments, and what is refused before any rule is asked
    decision       what the value of a rule means; preconditions
    policy         a loaded policy: its rules, and decisions
    policy_file    a policy that follows its file: reloaded when it changes, kept when the new text is broken
    schema         rules and declarations as clients read them
    evaluation     expressions and propositions over a policy's declarations
    guards         the conditions of a rule, branch by branch
    questions      propositions about a policy, put to the prover; witnesses run again by the evaluator
    spellings      what means the same to a shell or a file system, as regular languages
    audit, combination, comparison

Specification: servers.md ("Group policy"), kleis-language.md §8.2 (tables) and §8.5; ADR 014.

Deciding fails closed: whatever is not a definite yes denies, with the reason.  It uses exact evaluation under a budget
and no prover.  Analysing uses the prover; every witness it reports has been decided by the policy itself.
"""

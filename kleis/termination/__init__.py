"""Why recursive definitions end.

- `recursive_calls`: calls with their paths
- `size_change`: structural descent, closed
- `rankings`: measures, lexicographic rankings
- `obligations`: what a ranking must prove
- `exact_domains`: conditions that are exact
- `refute_obligation`: small counterexamples first
- `show_termination`: the argument for a group
"""

"""What a program is: terms, values, limits, errors, and what a run may ask of its host.

- `budget`: fuel, depth and size limits
- `errors`: the one exception, with place
- `warnings`: readings to be told, such as rounding
- `json_text`: hostile JSON text, read safely
- `text_mistakes`: what was meant by a text that is no JSON
- `primitives`: THE table of operations
- `hostile_cases`: what charges are measured on
- `terms`: syntax trees, printing, identity
- `decode`: JSON to terms, all errors
- `values`: values and their kinds
- `value_text`: values as JSON text
- `reification`: values to terms and back
- `host`: tools and theories for runs
- `schema`: JSON Schema from the table
"""

"""`pif demo`.

- `client`: client over the SDK's
- `theory_acts`: acts of theories, laws
- `acts`: acts of tools
- `play`: the server driven, shown
"""

"""The sorts and conditions of each row.

- `shapes`: how signatures are written
- `scalars`: numbers, bit-vectors, strings
- `lists`: lists, sets, records
- `matrices`: matrices and their sizes
- `signature_table`: signatures by row name
"""

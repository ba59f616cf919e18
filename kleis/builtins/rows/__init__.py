"""The rows by tier (T0 core to T10 pictures, docs/reference/kleis.md §8.1), and the table.

- `table`: every row by name
- `arithmetic`: numbers, comparison, logic, complex
- `elementary_functions`: roots, logarithms, trigonometry
- `bit_vectors`: bit-vectors as SMT-LIB
- `strings`: strings and regular expressions
- `collections`: lists, tuples, sets
- `higher_order`: map, filter, folds, sums
- `matrices`: concrete matrices
- `plots`: elements of pictures
- `documents`: printing, records, tables, files
"""

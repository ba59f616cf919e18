"""The rows by tier (T0 core to T11 pictures, docs/reference/kleis.md §8.1), and the tables.

- `table`: every row by name
- `arithmetic`: numbers, comparison, logic, complex
- `elementary_functions`: roots, logarithms, trigonometry
- `bit_vectors`: bit-vectors as SMT-LIB
- `strings`: strings and regular expressions
- `lists`: lists, tuples
- `sets`: finite sets, and their complements
- `higher_order`: map, filter, folds, sums
- `matrices`: concrete matrices
- `plots`: elements of pictures
- `documents`: printing, records, tables, files
- `linear_algebra`: decompositions and equations in doubles; pairs [Re, Im]
- `numerical_analysis`: differential equations, Fourier transforms, tensors, roots
- `numeric_table`: what is computed in doubles, apart from all other rows
"""

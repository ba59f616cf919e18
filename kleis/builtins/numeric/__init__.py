"""Numerical computation in doubles, by numpy and scipy: the functions behind the rows of the extra `numeric`.

- `extra`: the libraries, loaded when a numeric name is used; errors and costs of their calls
- `arrays`: values as arrays and arrays as values; shapes and what is said of wrong ones
- `linear_algebra`: decompositions, equations and functions of real matrices
- `control`: Riccati equations and optimal feedback
- `complex_matrices`: pairs [Re, Im] of real matrices
- `fourier`: discrete Fourier transforms
- `tensors`: arrays of any number of axes, exact
- `differential_equations`: initial value problems by Dormand and Prince
- `polynomial_roots`: all roots of a polynomial, each in a rational disc that is proved to hold it

Every result that rests on a double is marked approximate, and no name of here is known to propositions: the table of
built-ins that elaboration, prover and semantics read does not have it (`kleis.builtins.rows.numeric_table`).  What is exact
here (`tensors`, the structural operations of `complex_matrices`, `polynomial_roots`) computes with integers and fractions.
See docs/reference/numerics.md.
"""

"""The typed core: what a proposition means once it is elaborated, with nothing left to decide.

    source ── parse ──> tree ── load ──> theory ── elaborate ──> Goal ──> engines, reference semantics

- `sorts`: sorts as data
- `terms`: symbols, terms, definitions, data types
- `sort_operations`: sorts joined, substituted, taken apart
- `build_terms`: arithmetic and connectives built
- `traversal`: core terms walked, substituted, compared; what a term reaches
- `goal`: a claim with everything it needs
- `sort_printing`: sorts in messages
- `canonical_bytes`: goals as bytes, and their digest
- `pattern_coverage`: values that no case of a `match` covers

The package re-exports sorts, terms and goals: import it as a namespace, ``from kleis import core``, then
``core.Variable``. Inside the package names are imported from their modules. Class names, field names and defaults of
`sorts` and `terms` are part of every digest and certificate; a change there makes all of them invalid. A new term also
needs a rule in `kleis.semantics`, `kleis.definedness`, `kleis.delaborate`, the encodings below `kleis.prover` and
`kleis.lean.export`. See docs/reference/proving.md §1.
"""

from __future__ import annotations

from kleis.core.sorts import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    REGEX,
    STRING,
    UNIT,
    Basic,
    BitVec,
    Carrier,
    CoreNode,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    Monomial,
    Numeric,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.terms import (
    Application,
    BuiltinCall,
    Coercion,
    Conditional,
    Connective,
    ConnectiveName,
    Construction,
    Constructor,
    ConstructorField,
    Definition,
    DefinitionCall,
    Discrimination,
    Equals,
    Lambda,
    Let,
    LiteralTerm,
    Narrowing,
    Operation,
    Quantifier,
    Selection,
    Symbol,
    SymbolCall,
    Term,
    Undefined,
    Variable,
)

__all__ = [
    "BOOL",
    "COMPLEX",
    "INTEGER",
    "NATURAL",
    "RATIONAL",
    "REAL",
    "REGEX",
    "STRING",
    "UNIT",
    "Application",
    "Basic",
    "BitVec",
    "BuiltinCall",
    "Carrier",
    "Coercion",
    "Conditional",
    "Connective",
    "ConnectiveName",
    "Construction",
    "Constructor",
    "ConstructorField",
    "CoreNode",
    "DataSort",
    "Definition",
    "DefinitionCall",
    "Dimension",
    "Discrimination",
    "Equals",
    "FunctionOf",
    "Lambda",
    "Let",
    "ListOf",
    "LiteralTerm",
    "MatrixOf",
    "Monomial",
    "Narrowing",
    "Numeric",
    "Operation",
    "Quantifier",
    "RecordOf",
    "Selection",
    "SetOf",
    "Sort",
    "SortVariable",
    "Symbol",
    "SymbolCall",
    "Term",
    "TupleOf",
    "Undefined",
    "Variable",
]

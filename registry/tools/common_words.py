"""Words of other languages, and what does their work here: operations, tools of the library, or another way.

Who writes `sum`, `throw` or `len` is told what to use. A test resolves every operation and tool that is named.
"""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "TOOLS", "WAYS"]

OPERATIONS: Final[dict[str, str]] = {
    **dict.fromkeys(["len", "size", "count_of", "strlen"], "length"),
    **dict.fromkeys(["reduce", "foldl", "foldLeft", "inject", "aggregate", "accumulate"], "fold"),
    **dict.fromkeys(["str", "toString", "to_string", "String", "stringify", "repr", "format"], "show"),
    **dict.fromkeys(["lambda", "function", "def", "fn", "func", "=>", "->", "λ"], "lam"),
    **dict.fromkeys(["call", "apply", "invoke", "funcall"], "app"),
    **dict.fromkeys(["first", "car", "peek", "front"], "head"),
    **dict.fromkeys(["rest", "cdr", "tail_of"], "tail"),
    **dict.fromkeys(["empty", "isempty", "is_empty", "null?", "isNil"], "isEmpty"),
    **dict.fromkeys(["prepend", "unshift", "push_front"], "cons"),
    **dict.fromkeys(["dict", "object", "hash", "hashmap", "struct", "Map"], "record"),
    **dict.fromkeys(["set", "assoc", "put", "update", "setField"], "with"),
    **dict.fromkeys(["lookup", "field_of", "getField", "."], "get"),
    **dict.fromkeys(["tuple", "couple"], "pair"),
    **dict.fromkeys(["second"], "snd"),
    **dict.fromkeys(["+", "plus", "sum_of"], "add"),
    **dict.fromkeys(["-", "minus", "subtract"], "sub"),
    **dict.fromkeys(["*", "times", "multiply"], "mul"),
    **dict.fromkeys(["/", "//", "divide", "quotient"], "div"),
    **dict.fromkeys(["%", "rem", "modulo", "remainder"], "mod"),
    **dict.fromkeys(["==", "===", "equals", "equal", "=", "is"], "eq"),
    **dict.fromkeys(["<", "less", "lessThan"], "lt"),
    **dict.fromkeys(["<=", "le", "lessOrEqual"], "lte"),
    **dict.fromkeys([">", "greater", "greaterThan"], "gt"),
    **dict.fromkeys([">=", "ge", "greaterOrEqual"], "gte"),
    **dict.fromkeys(["&&", "&", "∧"], "and"),
    **dict.fromkeys(["||", "|", "∨"], "or"),
    **dict.fromkeys(["!", "¬"], "not"),
    **dict.fromkeys(["?", "cond", "ternary", "ifelse", "if_else", "elif", "switch", "case", "match"], "if"),
    **dict.fromkeys(["iota", "seq", "upto"], "range"),
    **dict.fromkeys(["characters", "explode"], "chars"),
    **dict.fromkeys(["recurse", "recur", "this", "rec"], "self"),
    **dict.fromkeys(["code"], "quote"),
    **dict.fromkeys(["strcat", "concatenate", "string_append"], "concat"),
    **dict.fromkeys(["block", "begin", "do", "where", "const", "val", "assign"], "let"),
}
"""Words for operations."""

TOOLS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(["hasField", "hasKey", "has_key", "containsKey", "hasOwnProperty"], ("has",)),
    **dict.fromkeys(["nth_item", "at", "elementAt", "item", "[]"], ("nth",)),
    **dict.fromkeys(["total", "summation"], ("sum",)),
    **dict.fromkeys(
        ["float", "double", "decimal", "Decimal"], ("decimal.parse", "decimal.add", "decimal.round")
    ),
    **dict.fromkeys(["Fraction", "fraction", "rational", "ratio"], ("rational.parse", "rational.of")),
    **dict.fromkeys(["round", "toFixed"], ("decimal.round", "decimal.format", "rational.round")),
    **dict.fromkeys(["floor", "trunc"], ("rounding.floor", "rounding.down")),
    **dict.fromkeys(["ceil", "ceiling"], ("rounding.ceiling",)),
    **dict.fromkeys(["select", "keep", "grep"], ("filter",)),
    **dict.fromkeys(["collect", "forEach", "foreach", "each", "mapcar"], ("map",)),
    **dict.fromkeys(["extend", "push", "add_all", "append_list", "++"], ("append",)),
    **dict.fromkeys(["flatten", "concatMap", "chain"], ("concat", "flatMap")),
    **dict.fromkeys(["sorted", "order", "orderBy", "sort_by", "sortby"], ("sort", "sortBy")),
    **dict.fromkeys(["reversed", "rev"], ("reverse", "reverseText")),
    **dict.fromkeys(["max", "biggest"], ("maximum", "larger")),
    **dict.fromkeys(["min", "smallest"], ("minimum", "smaller")),
    **dict.fromkeys(["abs", "magnitude"], ("absolute",)),
    **dict.fromkeys(["pow", "**", "^", "expt", "exponent"], ("power",)),
    **dict.fromkeys(["sqrt", "isqrt"], ("squareRoot",)),
    **dict.fromkeys(["average", "avg"], ("mean",)),
    **dict.fromkeys(["divmod"], ("quotientAndRemainder",)),
    **dict.fromkeys(["distinct", "uniq", "dedupe", "nub"], ("unique",)),
    **dict.fromkeys(["every", "forall"], ("all",)),
    **dict.fromkeys(["exists"], ("any",)),
    **dict.fromkeys(["includes", "in", "member", "elem"], ("contains", "containsText")),
    **dict.fromkeys(["index", "findIndex", "position"], ("indexOf",)),
    **dict.fromkeys(["slice", "substr", "sublist"], ("substring", "take", "drop")),
    **dict.fromkeys(["split", "tokenize", "explode_on"], ("splitText", "words", "lines")),
    **dict.fromkeys(["replace", "gsub", "replaceAll"], ("replaceText",)),
    **dict.fromkeys(["upper", "toUpperCase", "uppercase", "upcase"], ("upperCase",)),
    **dict.fromkeys(["lower", "toLowerCase", "lowercase", "downcase"], ("lowerCase",)),
    **dict.fromkeys(["strip", "trimmed", "lstrip", "rstrip"], ("trim",)),
    **dict.fromkeys(["startswith", "hasPrefix", "prefix"], ("startsWith",)),
    **dict.fromkeys(["endswith", "hasSuffix", "suffix"], ("endsWith",)),
    **dict.fromkeys(["repeat"], ("repeatText", "replicate")),
    **dict.fromkeys(["int", "parseInt", "atoi", "Number", "parse_int", "toInteger"], ("parseInteger",)),
    **dict.fromkeys(["items", "entries"], ("fields",)),
    **dict.fromkeys(["delete", "del", "remove", "dissoc"], ("without",)),
    **dict.fromkeys(["hasKey", "has_key", "containsKey"], ("has",)),
    **dict.fromkeys(["nth_item", "at", "elementAt", "charAt_"], ("nth", "charAt")),
    **dict.fromkeys(["foldr", "reduceRight"], ("foldRight",)),
    **dict.fromkeys(["loop", "times_do", "unfold"], ("iterate", "until")),
    **dict.fromkeys(["for", "while"], ("iterate", "until", "map")),
    **dict.fromkeys(["throw", "raise", "error", "fail"], ("failure", "resultOr")),
    **dict.fromkeys(
        ["try", "catch", "except", "rescue", "finally"], ("resultThen", "resultOr", "firstFailure")
    ),
    **dict.fromkeys(["Maybe", "Just", "Some", "option", "optional"], ("some", "valueOr")),
    **dict.fromkeys(["fact", "!n"], ("factorial",)),
    **dict.fromkeys(["fib"], ("fibonacci",)),
    **dict.fromkeys(["prime", "is_prime"], ("isPrime",)),
    **dict.fromkeys(["even"], ("isEven",)),
    **dict.fromkeys(["odd"], ("isOdd",)),
    **dict.fromkeys(["counter", "histogram", "groupby", "group_by"], ("frequencies", "groupBy")),
    **dict.fromkeys(["regex", "regexp", "re"], ("splitText", "replaceText", "startsWith")),
    **dict.fromkeys(["dot"], ("dotProduct",)),
    **dict.fromkeys(["id"], ("identity",)),
}
"""Words for tools of the library, by their names without `std.`."""

WAYS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ["!=", "!==", "<>", "≠", "/=", "ne", "neq", "notEqual", "notEquals", "not_equal", "not_eq"],
        'Write {"not": {"eq": [a, b]}}.',
    ),
    **dict.fromkeys(["neg", "negative", "uminus"], 'Write {"sub": [0, n]}.'),
    **dict.fromkeys(
        ["lit", "literal", "value", "constant", "number", "string", "integer"],
        'Literals stand for themselves: 42, "text", true, null, [1, 2].',
    ),
    **dict.fromkeys(
        ["throw", "raise", "error", "fail", "try", "catch", "except", "rescue", "finally"],
        "There are no exceptions: a function answers a result, made by std.ok or std.failure.",
    ),
    **dict.fromkeys(
        ["for", "while", "loop"], "There are no loops: `fold` goes through a list, `continue` takes steps."
    ),
    **dict.fromkeys(["regex", "regexp", "re"], "There are no regular expressions."),
    **dict.fromkeys(
        [
            "print",
            "log",
            "echo",
            "puts",
            "write",
            "read",
            "open",
            "fetch",
            "http",
            "input",
            "exec",
            "system",
            "env",
        ],
        "Nothing here reads or writes: give what is needed as input, and return what is to be shown.",
    ),
    **dict.fromkeys(
        ["random", "rand", "now", "time", "date", "sleep", "uuid"],
        "A run depends on its input alone: pass the time, or a seed, as input.",
    ),
    **dict.fromkeys(
        ["float", "double", "decimal", "Decimal", "round", "floor", "ceil", "trunc", "ceiling", "toFixed"],
        "Numbers are integers, and `div` rounds down; std.decimal.* and std.rational.* are exact: `help numbers` says more.",
    ),
    **dict.fromkeys(
        ["return", "yield", "await"], "The value of a function is the value of its body: write it there."
    ),
    **dict.fromkeys(
        ["import", "require", "include", "use"], 'Tools are called by name: {"app": ["std.sum", …]}.'
    ),
    **dict.fromkeys(
        ["bool", "boolean", "isinstance", "typeof", "type"],
        "Kinds are not asked for at run time; `analyze` tells the types of a term.",
    ),
    **dict.fromkeys(
        ["json", "parse", "loads", "dumps"], "Values are JSON already: text is decoded by whoever calls."
    ),
    **dict.fromkeys(["null", "nil_value", "None", "undefined", "void"], "The unit is written null."),
    **dict.fromkeys(["class", "new", "instanceof"], 'Data are records: {"record": {"name": …}}.'),
    **dict.fromkeys(["assert"], "What must hold is an example or a law of the tool: `evolve` takes both."),
}
"""Words for what is done in another way."""

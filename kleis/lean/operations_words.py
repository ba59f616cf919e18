"""Built-ins of words of bits in Lean (lean-and-corpus.md §6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis.core import BitVec, Operation
from kleis.lean.encoders import Encoder, named
from kleis.lean.export.terms.lean_types import Sorts, call
from kleis.lean.language.lean_tree import Infix, LeanTerm, Name, Number

__all__ = ["WORDS"]


def _words(name: str, *, truth: bool = False) -> Encoder:
    """A function of words; an integer beside a word is the word of its value."""

    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        widths = [each.sort.width for each in operation.parameters if isinstance(each.sort, BitVec)]
        words = [
            each
            if isinstance(parameter.sort, BitVec)
            else call(Name("BitVec.ofInt"), Number(widths[0]), each)
            for each, parameter in zip(given, operation.parameters, strict=True)
        ]
        result = call(Name(name), *words)
        return Infix("=", result, Name("true")) if truth else result

    return encode


def _swapped(encoder: Encoder) -> Encoder:
    """A comparison with its operands exchanged."""

    def encode(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        first, second = operation.parameters
        turned = Operation(operation.name, (second, first), operation.result)
        return encoder(turned, (given[1], given[0]), sorts)

    return encode


def _word(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    if not isinstance(operation.result, BitVec):
        return None
    return call(Name("BitVec.ofInt"), Number(operation.result.width), given[0])


def _extended(name: str) -> Encoder:
    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        if not isinstance(operation.result, BitVec):
            return None
        return call(Name(name), Number(operation.result.width), given[1])

    return encode


def _constant_word(value: int) -> Encoder:
    def encode(operation: Operation, _: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
        if not isinstance(operation.result, BitVec):
            return None
        width = operation.result.width
        return call(Name("BitVec.ofNat"), Number(width), Number(value % (1 << width)))

    return encode


WORDS: Mapping[str, Encoder] = {
    "bv": _word,
    "bv_to_int": named("BitVec.toNat"),
    "bv_to_signed": named("BitVec.toInt"),
    "bvzero": _constant_word(0),
    "bvones": _constant_word(-1),
    "bvone": _constant_word(1),
    "bvnot": _words("BitVec.not"),
    "bvneg": _words("BitVec.neg"),
    "bvand": _words("BitVec.and"),
    "bvor": _words("BitVec.or"),
    "bvxor": _words("BitVec.xor"),
    "bvadd": _words("BitVec.add"),
    "bvsub": _words("BitVec.sub"),
    "bvmul": _words("BitVec.mul"),
    "bvult": _words("BitVec.ult", truth=True),
    "bvule": _words("BitVec.ule", truth=True),
    "bvugt": _swapped(_words("BitVec.ult", truth=True)),
    "bvuge": _swapped(_words("BitVec.ule", truth=True)),
    "bvslt": _words("BitVec.slt", truth=True),
    "bvsle": _words("BitVec.sle", truth=True),
    "bvsgt": _swapped(_words("BitVec.slt", truth=True)),
    "bvsge": _swapped(_words("BitVec.sle", truth=True)),
    "bvconcat": _words("BitVec.append"),
    "zext": _extended("BitVec.zeroExtend"),
    "sext": _extended("BitVec.signExtend"),
}
"""The exact readings."""

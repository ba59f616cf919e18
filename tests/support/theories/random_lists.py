"""Random closed propositions about built-in lists of integers, as text; many of them have no value."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["facts"]

_NUMBERS = st.integers(-3, 5).map(lambda value: str(value) if value >= 0 else f"(0 - {-value})")
_LISTS = st.lists(_NUMBERS, max_size=3).map(lambda items: f"([{', '.join(items)}] : List(ℤ))")
_FUNCTIONS = st.sampled_from(
    ["λ (x : ℤ) . x * x - 1", "λ (x : ℤ) . div(6, x)", "λ (x : ℤ) . 0 - x", "λ (x : ℤ) . mod(x, 3)"]
)
_PREDICATES = st.sampled_from(
    [
        "λ (x : ℤ) . x > 0",
        "λ (x : ℤ) . mod(6, x) = 0",
        "λ (x : ℤ) . x ≠ 2 ∧ div(1, x) < 2",
        "λ (x : ℤ) . x = x",
    ]
)
_STEPS = st.sampled_from(
    ["λ (a : ℤ) (x : ℤ) . a - 2 * x", "λ (a : ℤ) (x : ℤ) . div(a, x)", "λ (a : ℤ) (x : ℤ) . x"]
)


def _longer(lists: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Lists made of lists."""
    numbers = _numbers_of(lists)

    def call(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda chosen: form.format(*chosen))

    return st.one_of(
        call("append({}, {})", lists, lists),
        call("concat({}, {}, {})", lists, lists, lists),
        call("reverse({})", lists),
        call("tail({})", lists),
        call("Cons({}, {})", numbers, lists),
        call("list_slice({}, {})", lists, _NUMBERS),
        call("list_slice({}, {}, {})", lists, _NUMBERS, _NUMBERS),
        call("list_rotate({}, {})", lists, _NUMBERS),
        call("list_flatten([{}, {}])", lists, lists),
        call("map({}, {})", _FUNCTIONS, lists),
        call("filter({}, {})", _PREDICATES, lists),
        call("flatmap(λ (x : ℤ) . [x, x + 1], {})", lists),
        call("map(λ (t : ℤ × ℤ) . fst(t) * 2 + snd(t), zip({}, {}))", lists, lists),
        call("vec_add({}, {})", lists, lists),
        call("range({}, {})", _NUMBERS, _NUMBERS),
        call("range({})", _NUMBERS),
        call("replicate({}, {})", _NUMBERS, numbers),
        call("foldr(λ (x : ℤ) (a : List(ℤ)) . append(a, [x]), {}, {})", lists, lists),
    )


def _numbers_of(lists: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def call(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda chosen: form.format(*chosen))

    return st.one_of(
        _NUMBERS,
        call("head({})", lists),
        call("nth({}, {})", lists, _NUMBERS),
        call("sum({})", lists),
        call("product({})", lists),
        call("foldl({}, {}, {})", _STEPS, _NUMBERS, lists),
        call("foldr({}, {}, {})", _STEPS, _NUMBERS, lists),
        call("sum_over({}, {}, {})", _FUNCTIONS, _NUMBERS, _NUMBERS),
        call("sum_bounds({}, {}, {})", _FUNCTIONS, _NUMBERS, _NUMBERS),
        call("prod_bounds({}, {}, {})", _FUNCTIONS, _NUMBERS, _NUMBERS),
    )


def facts() -> st.SearchStrategy[str]:
    """Propositions."""
    lists = st.recursive(_LISTS, _longer, max_leaves=4)
    numbers = _numbers_of(lists)

    def call(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda chosen: form.format(*chosen))

    return st.one_of(
        call("{} = {}", lists, lists),
        call("{} = {}", numbers, numbers),
        call("{} ≤ {}", numbers, numbers),
        call("length({}) = {}", lists, _NUMBERS),
        call("all({}, {})", _PREDICATES, lists),
        call("any({}, {})", _PREDICATES, lists),
        call("in_set({}, {})", numbers, lists),
        call("isEmpty({})", lists),
        call("set_of({}) = set_of({})", lists, lists),
        call("all({0}, {1}) → any({0}, {2})", _PREDICATES, lists, lists),
    )

"""Whether two finite models are copies of each other: some renaming of elements turns the tables of one into the other's.

Elements get colours, refined until they say all that tables tell of one element after the other; a renaming keeps colours.
What colours leave open is searched: an element gets an image, and the tables give the images of what is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from kleis.core import BOOL, Sort
from kleis.prover.engines.first_order_terms import Function

__all__ = ["Cells", "Classes"]

Cells: TypeAlias = tuple[tuple[int, ...], ...]
"""The values of every function, in the order of its arguments."""

_Point: TypeAlias = tuple[int, ...]
_Element: TypeAlias = tuple[Sort, int]


class Classes:
    """The isomorphism classes of models of some sizes, by their first members."""

    def __init__(self, functions: Sequence[Function], sizes: Mapping[Sort, int]) -> None:
        self._functions = functions
        self._sizes = sizes
        self._points: list[list[_Point]] = [
            list(product(*(range(2 if sort == BOOL else sizes[sort]) for sort in each.domain)))
            for each in functions
        ]
        self._known: dict[tuple[int, ...], list[_Model]] = {}

    def add(self, cells: Cells) -> bool:
        """Whether a model is the first one of its class, which is known from now on."""
        model = _Model(self._functions, self._sizes, self._points, cells)
        alike = self._known.setdefault(model.fingerprint, [])
        if any(_Renaming(model, each).exists() for each in alike):
            return False
        alike.append(model)
        return True


class _Model:
    """A model with the colours of its elements.  `fingerprint` is the same for all its copies."""

    def __init__(
        self,
        functions: Sequence[Function],
        sizes: Mapping[Sort, int],
        points: Sequence[Sequence[_Point]],
        cells: Cells,
    ) -> None:
        self.functions = functions
        self.elements: list[_Element] = [
            (sort, number) for sort, size in sizes.items() for number in range(size)
        ]
        self.tables = [dict(zip(one, values, strict=True)) for one, values in zip(points, cells, strict=True)]
        self.colours = self._coloured()
        self.fingerprint = tuple(sorted(self.colours.values()))

    def _coloured(self) -> dict[_Element, int]:
        sorts = list(dict.fromkeys(sort for sort, _ in self.elements))
        colours = {each: sorts.index(each[0]) for each in self.elements}
        kinds = 0
        while len(set(colours.values())) > kinds:
            kinds = len(set(colours.values()))
            colours = self._refined(colours)
        return colours

    def _refined(self, colours: Mapping[_Element, int]) -> dict[_Element, int]:
        """Colours by the colours before, and the rows of tables in which an element stands, at each place."""
        rows: dict[_Element, list[tuple[int, ...]]] = {each: [] for each in colours}
        for number, (function, table) in enumerate(zip(self.functions, self.tables, strict=True)):
            sorts = (*function.domain, function.codomain)
            for point, value in table.items():
                row = [
                    each if sort == BOOL else (sort, each)
                    for sort, each in zip(sorts, (*point, value), strict=True)
                ]
                seen = tuple(colours[each] if isinstance(each, tuple) else each for each in row)
                for place, each in enumerate(row):
                    if isinstance(each, tuple):
                        rows[each].append((number, place, *(int(other == each) for other in row), *seen))
        return {each: hash((colours[each], *sorted(found))) for each, found in rows.items()}


class _Renaming:
    """The search for a renaming of one model into another."""

    def __init__(self, one: _Model, other: _Model) -> None:
        self._one = one
        self._other = other

    def exists(self) -> bool:
        """Whether there is one."""
        return self._extends({})

    def _extends(self, images: dict[_Element, _Element]) -> bool:
        closed = self._closed(images)
        if closed is None:
            return False
        if len(closed) == len(self._one.elements):
            return True
        element = next(each for each in self._one.elements if each not in closed)
        return any(self._extends({**closed, element: image}) for image in self._images(element, closed))

    def _images(self, element: _Element, images: Mapping[_Element, _Element]) -> Iterator[_Element]:
        taken = set(images.values())
        colour = self._one.colours[element]
        for each in self._other.elements:
            if each not in taken and each[0] == element[0] and self._other.colours[each] == colour:
                yield each

    def _closed(self, images: dict[_Element, _Element]) -> dict[_Element, _Element] | None:
        """The images with those of all that is computed from them; None where the tables contradict each other."""
        images = dict(images)
        inverse = {image: each for each, image in images.items()}
        grown = True
        while grown:
            grown = False
            for function, here, there in zip(
                self._one.functions, self._one.tables, self._other.tables, strict=True
            ):
                for point, value in here.items():
                    moved = self._moved(function, point, images)
                    if moved is None:
                        continue
                    if function.codomain == BOOL:
                        if there[moved] != value:
                            return None
                        continue
                    result, image = (function.codomain, value), (function.codomain, there[moved])
                    if images.get(result, image) != image or inverse.get(image, result) != result:
                        return None
                    if result not in images:
                        if self._one.colours[result] != self._other.colours[image]:
                            return None
                        images[result], inverse[image] = image, result
                        grown = True
        return images

    def _moved(self, function: Function, point: _Point, images: Mapping[_Element, _Element]) -> _Point | None:
        moved = []
        for sort, each in zip(function.domain, point, strict=True):
            image = (sort, each) if sort == BOOL else images.get((sort, each))
            if image is None:
                return None
            moved.append(image[1])
        return tuple(moved)

"""The functions that an expression can call: a closed table, over plain data, each within the budget.

Those with a predicate get it as a callable of (item, index); `reduce` also hands over what is gathered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.expr import of_collections as collections
from runtime.core.expr import of_numbers as numbers
from runtime.core.expr import of_predicates as predicates
from runtime.core.expr import of_texts as texts

MANY = 99


@dataclass(frozen=True, slots=True)
class Function:
    """`work(budget, *arguments)`, and how many arguments it takes at least and at most."""

    work: Callable[..., Any]
    arguments: tuple[int, int]


def _table(*rows: tuple[str, int, int, Callable[..., Any]]) -> dict[str, Function]:
    return {name: Function(work, (least, most)) for name, least, most, work in rows}


PREDICATES: Mapping[str, int] = {
    **dict.fromkeys(("all", "any", "one", "none", "filter", "map", "find", "findIndex"), 1),
    **dict.fromkeys(
        ("findLast", "findLastIndex", "count", "sum", "groupBy", "countBy", "sortBy", "reduce"), 1
    ),
}
"""Which argument of a function is a predicate: all of them take it second."""

FUNCTIONS: Mapping[str, Function] = _table(
    ("all", 2, 2, predicates.all_of),
    ("any", 2, 2, predicates.any_of),
    ("one", 2, 2, predicates.one_of),
    ("none", 2, 2, predicates.none_of),
    ("filter", 2, 2, predicates.filtered),
    ("map", 2, 2, predicates.mapped),
    ("find", 2, 2, predicates.find),
    ("findIndex", 2, 2, predicates.find_index),
    ("findLast", 2, 2, predicates.find_last),
    ("findLastIndex", 2, 2, predicates.find_last_index),
    ("count", 1, 2, predicates.count),
    ("sum", 1, 2, predicates.total),
    ("groupBy", 2, 2, predicates.group_by),
    ("countBy", 2, 2, predicates.count_by),
    ("sortBy", 2, 3, predicates.sort_by),
    ("reduce", 2, 3, predicates.reduce),
    ("len", 1, 1, collections.length),
    ("first", 1, 1, collections.first),
    ("last", 1, 1, collections.last),
    ("get", 2, 2, collections.get),
    ("take", 2, 2, collections.take),
    ("keys", 1, 1, collections.keys),
    ("values", 1, 1, collections.values),
    ("toPairs", 1, 1, collections.to_pairs),
    ("fromPairs", 1, 1, collections.from_pairs),
    ("reverse", 1, 1, collections.reversed_),
    ("uniq", 1, 1, collections.unique),
    ("concat", 1, MANY, collections.concat),
    ("flatten", 1, 1, collections.flatten),
    ("sort", 1, 2, collections.sort),
    ("type", 1, 1, collections.type_name),
    ("abs", 1, 1, numbers.absolute),
    ("ceil", 1, 1, numbers.ceil),
    ("floor", 1, 1, numbers.floor),
    ("round", 1, 1, numbers.rounded),
    ("int", 1, 1, numbers.to_int),
    ("float", 1, 1, numbers.to_float),
    ("max", 1, MANY, numbers.largest),
    ("min", 1, MANY, numbers.smallest),
    ("mean", 1, MANY, numbers.mean),
    ("median", 1, MANY, numbers.median),
    ("bitand", 2, 2, numbers.bit_and),
    ("bitor", 2, 2, numbers.bit_or),
    ("bitxor", 2, 2, numbers.bit_xor),
    ("bitnand", 2, 2, numbers.bit_nand),
    ("bitnot", 1, 1, numbers.bit_not),
    ("bitshl", 2, 2, numbers.shift_left),
    ("bitshr", 2, 2, numbers.shift_right),
    ("bitushr", 2, 2, numbers.shift_right_unsigned),
    ("string", 1, 1, texts.to_string),
    ("upper", 1, 1, texts.upper),
    ("lower", 1, 1, texts.lower),
    ("trim", 1, 2, texts.trim),
    ("trimPrefix", 1, 2, texts.trim_prefix),
    ("trimSuffix", 1, 2, texts.trim_suffix),
    ("split", 2, 3, texts.split),
    ("splitAfter", 2, 3, texts.split_after),
    ("replace", 3, 4, texts.replace),
    ("repeat", 2, 2, texts.repeat),
    ("join", 1, 2, texts.join),
    ("indexOf", 2, 2, texts.index_of),
    ("lastIndexOf", 2, 2, texts.last_index_of),
    ("hasPrefix", 2, 2, texts.has_prefix),
    ("hasSuffix", 2, 2, texts.has_suffix),
    ("toJSON", 1, 1, texts.to_json),
    ("fromJSON", 1, 1, texts.from_json),
    ("toBase64", 1, 1, texts.to_base64),
    ("fromBase64", 1, 1, texts.from_base64),
)

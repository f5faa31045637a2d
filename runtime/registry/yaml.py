"""YAML as this project reads it: version 1.2 core types, one document, string keys, no surprise.

libyaml finds the structure; the values are built here, frozen. `NO`, `on`, `1:30`, `0755` and dates stay
strings, `1e3` is a float. A key written twice, a key that is no string, a tag, an alias bomb, a nesting or a
number out of range and every fault of the text are Invalid errors with their place; merge keys (`<<`) work.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from runtime.core.errors import Error, Invalid, Many, Place
from runtime.core.values import Value
from runtime.registry.frozen import FrozenDict, FrozenList

MAX_DEPTH = 56
MAX_ALIASED = 100_000  # values that aliases may repeat in one document
MAX_BYTES = 16 * 1024 * 1024

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff]")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("0123456789+-.")

_PLAIN = "plain"  # an untagged, unquoted scalar: its text decides the type
_STRING = "tag:yaml.org,2002:str"
_COLLECTION = "collection"
_CORE: dict[str, type | tuple[type, ...]] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": (int, float),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}
_SEQUENCES = (_COLLECTION, "tag:yaml.org,2002:seq")
_MAPPINGS = (_COLLECTION, "tag:yaml.org,2002:map")


def decode(data: bytes, path: str) -> str:
    """Return the text of a file; raise Invalid with the place of a byte that may not be there."""
    if len(data) > MAX_BYTES:
        raise Invalid(f"file of {len(data)} bytes is over the limit of {MAX_BYTES}", place=Place(path))
    if data.startswith(b"\xef\xbb\xbf"):
        message = "the file starts with a byte order mark; save it as UTF-8 without one"
        raise Invalid(message, place=Place(path, 1, 1))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise Invalid(message, place=_place_of_offset(before, len(before), path)) from None
    return text


def compose(text: str, path: str) -> yaml.Node | None:
    """Return the nodes of the one document in `text`, None for an empty one; raise Invalid for bad syntax."""
    if bad := _CONTROL.search(text):
        message = f"character U+{ord(bad[0]):04X} is not allowed in YAML; remove it or write it as an escape"
        raise Invalid(message, place=_place_of_offset(text, bad.start(), path))
    loader = _Composer(text, path)
    try:
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, path) from None
    except yaml.YAMLError as error:
        raise Invalid(f"invalid YAML: {error}", place=Place(path)) from None
    finally:
        loader.dispose()


def construct(node: yaml.Node | None, path: str) -> Value:
    """Return the frozen value of a composed node; raise Invalid, or Many with every fault of the document."""
    if node is None:
        return None
    builder = _Builder(path)
    value = builder.build(node)
    if len(builder.errors) == 1:
        raise builder.errors[0]
    if builder.errors:
        raise Many(builder.errors)
    return value


def parse(text: str, path: str = "<text>") -> Value:
    """Return the frozen value of the YAML document `text`; `path` names it in errors."""
    return construct(compose(text, path), path)


def plain_scalar(text: str) -> Value:
    """Return the value of an unquoted scalar by the core rules; infinities and NaN come back as floats."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if len(text) < 40 else float("inf")
    if _FLOAT.fullmatch(text):
        return float(text)
    return float("nan") if _NOT_FINITE.fullmatch(text) else text


def descend(
    node: yaml.Node | None, path: tuple[str | int, ...]
) -> tuple[yaml.Node | None, yaml.Node | None, int]:
    """Follow `path` from `node`; return (node to point at, value, parts of the path that were not there).

    A field is pointed at by its key, an item by itself.
    """
    spot = node
    for done, part in enumerate(path):
        found: tuple[yaml.Node, yaml.Node] | None = None
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = (node.value[part], node.value[part])
        if found is None:
            return spot, node, len(path) - done
        spot, node = found
    return spot, node, 0


def place_at(node: yaml.Node | None, path: str) -> Place:
    """Return the place where `node` starts; an empty document starts where its file does."""
    mark = None if node is None else node.start_mark
    return Place(path, mark.line + 1, mark.column + 1) if mark else Place(path, 1, 1)


class _Composer(yaml.CSafeLoader):
    """libyaml's composer with types left open and with a bound on the depth."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text)
        self.path = path
        self.depth = 0

    def resolve(self, kind: Any, _value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _STRING
        return _COLLECTION

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:  # noqa: ARG002
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _too_deep(place_at(current_node, self.path))

    def ascend_resolver(self) -> None:
        self.depth -= 1


class _Builder:
    """Builds frozen values from nodes; a node that an alias repeats is built once and shared."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.errors: list[Error] = []
        self._built: dict[int, tuple[Value, int] | None] = {}
        self._nodes = 0
        self._aliased = 0

    def build(self, node: yaml.Node) -> Value:
        if isinstance(node, yaml.ScalarNode):
            self._nodes += 1
            return self._scalar(node)
        identity = id(node)
        if identity in self._built:
            return self._again(node)
        self._built[identity] = None  # under construction
        before = self._nodes
        self._nodes += 1
        value: Value = self._map(node) if isinstance(node, yaml.MappingNode) else self._list(node)
        self._built[identity] = (value, self._nodes - before)
        return value

    def _again(self, node: yaml.Node) -> Value:
        known = self._built[id(node)]
        if known is None:
            self._fault(node, "an alias can not stand inside the value that it names")
            return None
        self._nodes += known[1]
        self._aliased += known[1]
        if self._aliased > MAX_ALIASED:
            message = f"aliases repeat more than {MAX_ALIASED} values; write them out or remove them"
            raise Invalid(message, place=place_at(node, self.path))
        return known[0]

    def _scalar(self, node: yaml.ScalarNode) -> Value:
        text: str = node.value
        tag = node.tag
        if tag == _STRING:
            return text
        value = plain_scalar(text)
        if tag != _PLAIN and not (tag in _CORE and isinstance(value, _CORE[tag])):
            return self._bad_tag(node)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            self._fault(node, f"integer `{text}` does not fit into 64 bits; quote it to keep it as text")
        elif isinstance(value, float) and not math.isfinite(value):
            self._fault(
                node, f"number `{_short(text)}` has no finite 64-bit value; quote it to keep it as text"
            )
        return value

    def _list(self, node: yaml.Node) -> Value:
        if node.tag not in _SEQUENCES:
            return self._bad_tag(node)
        return FrozenList([self.build(item) for item in node.value])

    def _map(self, node: yaml.MappingNode) -> Value:
        if node.tag not in _MAPPINGS:
            return self._bad_tag(node)
        items: dict[str, Value] = {}
        merged: yaml.Node | None = None
        for key_node, value_node in node.value:
            key = key_node.value
            if key_node.tag == _PLAIN and key == "<<":
                if merged is not None:
                    self._fault(key_node, "key `<<` is written twice; give one list of aliases")
                merged = value_node
                continue
            if not self._is_key(key_node):
                continue
            if key in items:
                first = next(other for other, _ in node.value if other.value == key)
                self._fault(
                    key_node, f"key `{_short(key)}` is written twice, first at {place_at(first, self.path)}"
                )
            items[key] = self.build(value_node)
        if merged is not None:
            items = {**self._merge(merged), **items}
        return FrozenDict(items)

    def _is_key(self, node: yaml.Node) -> bool:
        if isinstance(node, yaml.ScalarNode):
            text = node.value
            if node.tag == _STRING or (node.tag == _PLAIN and isinstance(plain_scalar(text), str)):
                return True
            self._fault(node, f"key `{_short(text)}` is not a string; quote it")
        else:
            self._fault(node, "a key must be a string, not a list or map")
        return False

    def _merge(self, node: yaml.Node) -> dict[str, Value]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Value] = {}
        for source in sources:
            value = self.build(source)
            if not isinstance(value, dict):
                self._fault(source, "`<<` takes a map or a list of maps")
                continue
            for key, item in value.items():
                merged.setdefault(key, item)
        return merged

    def _bad_tag(self, node: yaml.Node) -> Value:
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        self._fault(node, f"tag `{_short(tag)}` is not allowed here; write the plain value")
        return None

    def _fault(self, node: yaml.Node, message: str) -> None:
        self.errors.append(Invalid(message, place=place_at(node, self.path)))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _place_of_offset(text: str, offset: int, path: str) -> Place:
    line = text.count("\n", 0, offset) + 1
    return Place(path, line, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def _too_deep(place: Place) -> Invalid:
    return Invalid(f"nested deeper than {MAX_DEPTH} levels", place=place)


def _syntax_error(error: yaml.MarkedYAMLError, text: str, path: str) -> Invalid:
    mark = error.problem_mark or error.context_mark
    place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path)
    problem = error.problem or "unknown problem"
    character = text[mark.index : mark.index + 1] if mark else ""
    if "cannot start any token" in problem and character == "\t":
        return Invalid("a tab can not indent YAML; use spaces", place=place)
    if "cannot start any token" in problem:
        return Invalid(f"a plain value can not start with `{character}`; quote it", place=place)
    if "maximum nesting depth" in problem:
        return _too_deep(place)
    if "expected a single document" in (error.context or ""):
        return Invalid("a file holds one document; remove what follows `---`", place=place)
    context = f"{error.context}, " if error.context else ""
    return Invalid(f"invalid YAML: {context}{problem}", place=place)

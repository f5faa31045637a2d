"""Settings: flattened dotted keys in layers; a later layer wins, and every value knows where it came from.

Defaults < user < project < environment (`RUNTIME_SECTION_KEY`) < overrides. A key that does not exist or a
value of the wrong type is an error. What guards the person takes from a project only what is stricter; what
is looser is ignored and said in `notices`, unless the user trusts exactly that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from runtime.core.errors import Error, Invalid, Many, Place
from runtime.core.nearest import nearest
from runtime.core.values import Value
from runtime.registry import yaml
from runtime.registry.declaration import Declaration, FieldPath, SourceFile
from runtime.registry.frozen import freeze
from runtime.registry.known_settings import INERT_SECTIONS, KNOWN, NOT_IN_FORCE
from runtime.registry.trust import Looser

_SECTIONS = frozenset(
    ".".join(parts[:length]) for key in KNOWN for parts in [key.split(".")] for length in range(1, len(parts))
)

T = TypeVar("T")
VERSION = "1.0"
OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, the layer (`default`, `user`, `project`, `environment`, `override`) that set it, and where."""

    value: Value
    layer: str
    place: Place | None = None


class Settings:
    """The settings in force; immutable for those who read them."""

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.looser: list[Looser] = []
        """What the project asks for and does not get unless it is trusted."""
        self.idle: list[str] = []
        """Settings that somebody set and nothing in this version reads."""
        self._set = {key: Setting(freeze(known.default), "default") for key, known in KNOWN.items()}

    def get(self, key: str, default: T | None = None) -> T:
        """Return the value of `key`, or `default` where nobody has set it."""
        setting = self._set.get(key)
        value = default if setting is None or setting.value is None else setting.value
        return cast(T, value)

    def origin(self, key: str) -> Setting | None:
        """Return the setting behind `key` with its layer and place."""
        return self._set.get(key)

    def keys(self) -> list[str]:
        """Return all keys that have a value, sorted."""
        return sorted(key for key, setting in self._set.items() if setting.value is not None)

    def add(self, values: Iterable[tuple[str, Value, Place | None]], layer: str) -> None:
        """Put a layer of (key, value, place) over what is there; raise Invalid or Many for what is wrong."""
        errors: list[Error] = []
        for key, value, place in values:
            try:
                self._put(key, value, layer, place)
            except Error as error:
                errors.append(error)
        if errors:
            raise errors[0] if len(errors) == 1 else Many(errors)

    def trust_project(self) -> None:
        """Put in force what the project asks for and was not given."""
        for each in self.looser:
            self._set[each.key] = Setting(each.value, "project", each.place)
            at = self.notices.index(_ignored(each.key, each.place))
            self.notices[at] = f"{_at(each.place)}`{each.key}` of the project is looser, and trusted"

    def _put(self, key: str, value: Value, layer: str, place: Place | None) -> None:
        if key.startswith(f"{OVERRIDE}."):  # one more of them: `-o namespace:name:path=value`
            key, value = OVERRIDE, {**self.get(OVERRIDE, {}), key.removeprefix(f"{OVERRIDE}."): value}
        known = KNOWN.get(key)
        if known is None and not _is_inert(key) and not (value is None and key in _SECTIONS):
            raise unknown(key, place)
        if value is None:  # the name is there, and nobody has set anything
            return
        if known and not known.accepts(value):
            raise Invalid(f"setting `{key}` must be {known.expected}", place=place, details={"key": key})
        stricter = known.stricter if known and layer == "project" else None
        if stricter and not stricter(value, self._set[key].value):
            if value != self._set[key].value:
                self.looser.append(Looser(key, freeze(value), self._set[key].value, place))
                self.notices.append(_ignored(key, place))
            return
        if key in NOT_IN_FORCE and value != KNOWN[key].default:
            self.idle.append(key)
        self._set[key] = Setting(freeze(value), layer, place)


def read_file(text: str, path: str) -> Iterator[tuple[str, Value, Place | None]]:
    """Yield (key, value, place) of a settings file; raise Invalid for bad YAML or a wrong version."""
    file = SourceFile(path, text)
    try:
        document = yaml.parse(text, path)
    except Many as many:
        raise Many([_unparsed(error) for error in many.errors]) from None
    except Error as error:
        raise _unparsed(error) from None
    if not isinstance(document, dict):
        raise Invalid('missing version field; start the file with `version: "1.0"`', place=Place(path, 1, 1))
    version = Declaration(file).text_of(("version",))
    place = Declaration(file).place_of(("version",))
    if version is None:
        raise Invalid('missing version field; add `version: "1.0"`', place=place)
    if version != VERSION:
        raise Invalid(f'unsupported version: {version}; expected "{VERSION}"', place=place)
    for key, value, at in _flattened({k: v for k, v in document.items() if k != "version"}):
        yield key, value, Declaration(file).place_of(at)


def from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Value, Place | None]]:
    """Yield the settings that `RUNTIME_*` variables name; other variables are none of ours."""
    names = {"RUNTIME_" + key.upper().replace(".", "_"): key for key in KNOWN}
    for name, text in environment.items():
        if name in names:
            yield names[name], coerced(names[name], text), Place(name)


def from_overrides(overrides: Iterable[str]) -> Iterator[tuple[str, Value, Place | None]]:
    """Yield the settings of `--set section.key=value`; raise Invalid for one without `=`."""
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals or not key.strip():
            raise Invalid(f"invalid setting `{override}`: expected `section.key=value`")
        yield key.strip(), coerced(key.strip(), text), Place("--set")


def coerced(key: str, text: str) -> Value:
    """Return `text` as the type of `key`: a boolean, a number, a list split at commas, else the text."""
    known = KNOWN.get(key)
    if known and known.type in ("string", "duration"):
        return text
    if known and known.type == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    if text in ("true", "false"):
        return text == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def unknown(key: str, place: Place | None) -> Error:
    """Return the error for a setting that does not exist."""
    details: dict[str, Value] = {"key": key}
    if key in _SECTIONS:
        return Invalid(f"setting `{key}` is a section; expected a map", place=place, details=details)
    near = nearest(key, KNOWN if "." in key else [*_SECTIONS, *KNOWN])
    sections = ", ".join(f"`{name}`" for name in sorted({known.partition(".")[0] for known in KNOWN}))
    hint = f"did you mean `{near}`?" if near else f"the sections are {sections}"
    return Invalid(f"setting `{key}` is unknown; {hint}", place=place, details=details)


def _flattened(tree: Mapping[str, Value], at: FieldPath = ()) -> Iterator[tuple[str, Value, FieldPath]]:
    for name, value in tree.items():
        path = (*at, name)
        key = ".".join(str(part) for part in path)
        known = KNOWN.get(key)
        if known and known.type == "map":
            yield key, value, path
        elif isinstance(value, dict) and value:
            yield from _flattened(value, path)
        else:
            yield key, None if value == {} else value, path


def _at(place: Place | None) -> str:
    return f"{place}: " if place else ""


def _ignored(key: str, place: Place | None) -> str:
    return f"{_at(place)}`{key}` of the project is looser than allowed and ignored; see `runtime trust`"


def _is_inert(key: str) -> bool:
    parts = key.split(".")
    return any(".".join(parts[:length]) in INERT_SECTIONS for length in range(1, len(parts) + 1))


def _unparsed(error: Error) -> Error:
    message = error.message.removeprefix("invalid YAML: ")
    return Invalid(f"failed to parse YAML: {message}", place=error.place)

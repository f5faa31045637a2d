"""What somebody who misspelt a name most likely meant; every error that suggests a name asks here."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 1_000  # names that a word is compared with
_LONGEST = 200  # characters of a word that is compared
_MARK = "\ufeff"


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the one of `names` that `word` most likely stands for, or None.

    Case, blanks around the word and what stands behind its first blank count for nothing. Of ids
    (`namespace:name`) the parts are compared one by one; a bare name may stand for an id.
    """
    bare = word.strip().strip(_MARK).lower()
    if not bare or len(bare) > _LONGEST:
        return None
    known = {each.lower(): each for each in names}
    first = bare.split()[0]
    if first in known:
        return known[first]
    if ":" in bare:
        return _found(_id_near(bare, known, cutoff), known)
    plain_last = sorted(known, key=lambda each: ":" not in each)
    by_name = {each.rpartition(":")[2]: each for each in plain_last}
    near = _close(bare, by_name, cutoff)
    return known[by_name[near]] if near else None


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return "; did you mean `a`?" for the nearest of `names`, nothing where none is near."""
    near = nearest(word, names)
    return f"; did you mean `{near}`?" if near is not None else ""


def _id_near(word: str, known: Iterable[str], cutoff: float) -> str | None:
    namespace, _, name = word.partition(":")
    spaces: dict[str, list[str]] = {}
    for each in known:
        space, _, own = each.rpartition(":")
        spaces.setdefault(space, []).append(own)
    if near := _close(name, spaces.get(namespace, ()), cutoff):
        return f"{namespace}:{near}"
    others = [space for space, inside in spaces.items() if name in inside]
    if (other := _close(namespace, others, 0.0)) is not None:
        return f"{other}:{name}".removeprefix(":")
    other = _close(namespace, spaces, cutoff)
    near = _close(name, spaces[other], cutoff) if other else None
    return f"{other}:{near}" if near else None


def _close(word: str, among: Iterable[str], cutoff: float) -> str | None:
    import difflib

    found = difflib.get_close_matches(word, list(among)[:MOST], n=1, cutoff=cutoff)
    return found[0] if found else None


def _found(near: str | None, known: dict[str, str]) -> str | None:
    return None if near is None else known.get(near)

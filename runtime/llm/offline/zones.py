"""A place in words becomes a zone of the time-zone database, or nothing: no place is guessed."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_IANA = re.compile(r"\b[A-Z][A-Za-z]+(?:/[A-Za-z_+\-0-9]+)+\b")
_AREAS = ("Europe", "Asia", "America", "Africa", "Australia", "Pacific", "Atlantic", "Indian", "Antarctica")

# Countries with one zone, and cities that the database files under another name.
_OTHER_NAMES = {
    "austria": "Europe/Vienna",
    "beijing": "Asia/Shanghai",
    "berlin germany": "Europe/Berlin",
    "boston": "America/New_York",
    "china": "Asia/Shanghai",
    "delhi": "Asia/Kolkata",
    "england": "Europe/London",
    "france": "Europe/Paris",
    "germany": "Europe/Berlin",
    "gmt": "Etc/GMT",
    "india": "Asia/Kolkata",
    "ireland": "Europe/Dublin",
    "italy": "Europe/Rome",
    "japan": "Asia/Tokyo",
    "kyoto": "Asia/Tokyo",
    "mumbai": "Asia/Kolkata",
    "new delhi": "Asia/Kolkata",
    "nyc": "America/New_York",
    "poland": "Europe/Warsaw",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "spain": "Europe/Madrid",
    "uk": "Europe/London",
    "utc": "UTC",
    "washington": "America/New_York",
    "zulu": "UTC",
}


def find_zone(place: str) -> str | None:
    """Return the zone for a place (`Tokyo`, `new york`, `Europe/Madrid`, `UTC`), None where none is known."""
    if exact := _IANA.search(place):
        return _zones().get(_plain(exact.group())) or _by_city().get(_plain(exact.group().rsplit("/", 1)[-1]))
    words = _plain(re.sub(r"^(?:the\s+city\s+of|city\s+of|the)\s+", "", place.strip(), flags=re.IGNORECASE))
    for name in (words, words.partition(",")[0].strip()):
        found = _OTHER_NAMES.get(name) or _zones().get(name) or _by_city().get(name)
        if found:
            return found
    return None


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    from zoneinfo import available_timezones

    return {_plain(zone): zone for zone in sorted(available_timezones())}


@lru_cache(maxsize=1)
def _by_city() -> dict[str, str]:
    """Return the zones by their last part; where two areas have a city of one name, the first area wins."""
    cities: dict[str, str] = {}
    for area in _AREAS:
        for zone in _zones().values():
            if zone.startswith(area + "/"):
                cities.setdefault(_plain(zone.rsplit("/", 1)[-1]), zone)
    return cities


def _plain(text: str) -> str:
    """Return `text` without accents and capitals, words apart by one blank."""
    letters = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\s_]+", " ", bare).strip().lower()

"""Time zones by their IANA names, from Python's zoneinfo; and the zone of the machine, named `Local`."""

from __future__ import annotations

import io
import re
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

from runtime.core.errors import Invalid, NotFound
from runtime.core.values import Value

LOCAL = "Local"
_NAME = re.compile(r"[A-Za-z0-9_+\-]{1,32}(/[A-Za-z0-9_+\-]{1,32}){0,3}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAGIC = b"TZif"
_COPIES = ("posix/", "right/")  # of all zones, in other ways of counting seconds
_read: dict[str, bytes] = {}


def read_zones() -> None:
    """Read the files of all zones now, for a process that will open none later."""
    time.localtime()  # the zone of the machine, which the C library reads once
    package = find_spec("tzdata")
    shipped = package.submodule_search_locations if package else None
    for folder in (*map(Path, TZPATH), *(Path(path, "zoneinfo") for path in shipped or ())):
        for path in folder.rglob("*"):
            name = path.relative_to(folder).as_posix()
            if _NAME.fullmatch(name) and not name.startswith(_COPIES) and path.is_file():
                data = path.read_bytes()
                if data.startswith(_MAGIC):
                    _read[name] = data
        if _read:
            return


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    if not _NAME.fullmatch(name):  # also keeps a path out of zoneinfo
        raise NotFound(
            f"unknown time zone `{name}`: expected a name such as `Europe/Madrid`", retryable=False
        )
    try:
        data = _read.get(name)
        return ZoneInfo(name) if data is None else ZoneInfo.from_file(io.BytesIO(data), key=name)
    except (KeyError, ValueError, OSError):
        raise NotFound(
            f"unknown time zone `{name}`: expected a name such as `Europe/Madrid`", retryable=False
        ) from None


def load_location(name: str) -> Value:
    """Return the name of a zone; raise Invalid for an empty one, NotFound for an unknown one."""
    if not isinstance(name, str) or not name:
        raise Invalid("location name must be a text that is not empty", retryable=False)
    if name in (LOCAL, "UTC"):
        return name
    _zone(name)
    return name


def offset_at(name: str, seconds: int) -> Value:
    """Return [offset in seconds east of UTC, abbreviation] of the zone at `seconds` since 1970."""
    try:
        if name == LOCAL:
            local = time.localtime(seconds)
            return [local.tm_gmtoff, local.tm_zone]
        moment = (_EPOCH + timedelta(seconds=seconds)).astimezone(_zone(name))
        offset = moment.utcoffset() or timedelta()
        return [round(offset.total_seconds()), moment.tzname() or ""]
    except (OverflowError, ValueError, OSError):
        raise Invalid("time is outside the years 1 to 9999", retryable=False) from None

"""The ambient module `os`: the time functions of Lua's own library, and nothing else of it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.lua.module import module_from_folder

MAX_FORMAT = 1024
_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SPECIFIER = re.compile(r"%(.?)", re.DOTALL)
_FIELDS = {"year": None, "month": None, "day": None, "hour": 0, "min": 0, "sec": 0}


def make_time(spec: object, now: int) -> Value:
    """Return the seconds since 1970 of a local date {year, month, day, hour, min, sec}.

    Year, month and day default to those of `now`, the time of day to midnight; others carry over.
    """
    if not isinstance(spec, Mapping):
        raise Invalid("os.time expects a table of date fields", retryable=False)
    today = time.localtime(now)
    given = {"year": today.tm_year, "month": today.tm_mon, "day": today.tm_mday}
    fields = []
    for name, default in _FIELDS.items():
        value = spec.get(name, given.get(name, default))
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 2**31:
            raise Invalid(f"field `{name}` of os.time must be a whole number", retryable=False)
        fields.append(value)
    summer = spec.get("isdst")
    flag = -1 if summer is None else int(bool(summer))
    try:
        return int(time.mktime((*fields, 0, 0, flag)))  # type: ignore[arg-type]
    except (OverflowError, ValueError):
        raise Invalid("date of os.time is out of range", retryable=False) from None


def show_date(form: object, seconds: object) -> Value:
    """Return the time as text by `form`, or as a table where it is `*t`; a leading `!` means UTC."""
    if not isinstance(form, str) or len(form) > MAX_FORMAT:
        raise Invalid(f"format of os.date must be text of at most {MAX_FORMAT} characters", retryable=False)
    if not isinstance(seconds, int | float) or math.isnan(seconds):
        raise Invalid("timestamp of os.date must be a number", retryable=False)
    in_utc = form.startswith("!")
    try:
        moment = time.gmtime(seconds) if in_utc else time.localtime(seconds)
    except (OverflowError, ValueError, OSError):
        raise Invalid("timestamp of os.date is out of range", retryable=False) from None
    form = form[1:] if in_utc else form
    if form.startswith("*t"):
        return {
            "year": moment.tm_year,
            "month": moment.tm_mon,
            "day": moment.tm_mday,
            "hour": moment.tm_hour,
            "min": moment.tm_min,
            "sec": moment.tm_sec,
            "wday": (moment.tm_wday + 1) % 7 + 1,
            "yday": moment.tm_yday,
            "isdst": moment.tm_isdst > 0,
        }
    return _SPECIFIER.sub(lambda match: _specify(match[1], moment, in_utc), form)


def _specify(letter: str, moment: time.struct_time, in_utc: bool) -> str:
    year, month, day = moment.tm_year, moment.tm_mon, moment.tm_mday
    weekday = (moment.tm_wday + 1) % 7
    offset = 0 if in_utc else moment.tm_gmtoff
    clock = f"{moment.tm_hour:02d}:{moment.tm_min:02d}:{moment.tm_sec:02d}"
    shown = {
        "Y": str(year),
        "y": f"{year % 100:02d}",
        "m": f"{month:02d}",
        "d": f"{day:02d}",
        "H": f"{moment.tm_hour:02d}",
        "I": f"{moment.tm_hour % 12 or 12:02d}",
        "M": f"{moment.tm_min:02d}",
        "S": f"{moment.tm_sec:02d}",
        "p": "PM" if moment.tm_hour >= 12 else "AM",
        "A": _DAYS[weekday],
        "a": _DAYS[weekday][:3],
        "B": _MONTHS[month - 1],
        "b": _MONTHS[month - 1][:3],
        "w": str(weekday),
        "j": f"{moment.tm_yday:03d}",
        "U": time.strftime("%V", moment),
        "z": f"{'-' if offset < 0 else '+'}{abs(offset) // 3600:02d}{abs(offset) // 60 % 60:02d}",
        "Z": "UTC" if in_utc else moment.tm_zone,
        "c": f"{_DAYS[weekday][:3]} {_MONTHS[month - 1][:3]} {day:2d} {clock} {year}",
        "x": f"{month:02d}/{day:02d}/{year % 100:02d}",
        "X": clock,
        "%": "%",
    }
    if letter not in shown:
        raise Invalid(f"`%{letter}` is no specifier of os.date: see lua/system/ostime", retryable=False)
    return shown[letter]


MODULE = module_from_folder(
    __file__,
    functions={"make_time": make_time, "show_date": show_date},
    page="lua/system/ostime",
    summary="Seconds since 1970, dates as text and tables, processor time: Lua's own time functions.",
    ambient=True,
    classes=("time", "nondeterministic"),
)

"""Go's reference layouts: a time is written and read by example, `Mon Jan 2 15:04:05 MST 2006`.

The rules are those of the Go documentation of package time: which pieces of a layout stand for what, and that
a fraction may follow the seconds of a value although the layout has none. Times are plain numbers here:
seconds since 1970 of the clock on the wall, nanoseconds, offset from UTC in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_LAYOUT = 1024
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
_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_EPOCH = datetime(1970, 1, 1)
# Longer pieces stand before those that they begin with. "Jan" is not "Janet", nor "Mon" the start of "Month".
_PIECES = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15|PM|pm"
    r"|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,]0+(?![0-9])|[.,]9+(?![0-9])|[1-5]"
)


def format_time(layout: str, wall: int, nanosecond: int, offset: int, zone: str) -> Value:
    """Return the time as `layout` shows it; `wall` counts the seconds of the local clock since 1970."""
    _check_layout(layout)
    try:
        moment = _EPOCH + timedelta(seconds=wall)
    except OverflowError:
        raise Invalid("year is outside 1 to 9999", retryable=False) from None
    return _PIECES.sub(lambda match: _show(match[0], moment, nanosecond, offset, zone), layout)


def _show(piece: str, moment: datetime, nanosecond: int, offset: int, zone: str) -> str:
    if piece[0] in ".," and piece[1:] and piece[1] in "09":
        digits = f"{nanosecond:09d}"[: len(piece) - 1].ljust(len(piece) - 1, "0")
        if piece[1] == "9":
            digits = digits.rstrip("0")
        return piece[0] + digits if digits else ""
    if len(piece) > 2 and piece[1:3] == "07":
        return _show_offset(piece, offset)
    day_of_year = moment.timetuple().tm_yday
    weekday = (moment.weekday() + 1) % 7
    shown: dict[str, Callable[[], str]] = {
        "2006": lambda: f"{moment.year:04d}",
        "06": lambda: f"{moment.year % 100:02d}",
        "January": lambda: _MONTHS[moment.month - 1],
        "Jan": lambda: _MONTHS[moment.month - 1][:3],
        "01": lambda: f"{moment.month:02d}",
        "1": lambda: str(moment.month),
        "Monday": lambda: _DAYS[weekday],
        "Mon": lambda: _DAYS[weekday][:3],
        "02": lambda: f"{moment.day:02d}",
        "_2": lambda: f"{moment.day:2d}",
        "2": lambda: str(moment.day),
        "002": lambda: f"{day_of_year:03d}",
        "__2": lambda: f"{day_of_year:3d}",
        "15": lambda: f"{moment.hour:02d}",
        "03": lambda: f"{moment.hour % 12 or 12:02d}",
        "3": lambda: str(moment.hour % 12 or 12),
        "04": lambda: f"{moment.minute:02d}",
        "4": lambda: str(moment.minute),
        "05": lambda: f"{moment.second:02d}",
        "5": lambda: str(moment.second),
        "PM": lambda: "PM" if moment.hour >= 12 else "AM",
        "pm": lambda: "pm" if moment.hour >= 12 else "am",
        "MST": lambda: zone or _show_offset("-0700" if offset % 3600 else "-07", offset),
    }
    return shown[piece]()


def _show_offset(piece: str, offset: int) -> str:
    if piece[0] == "Z" and offset == 0:
        return "Z"
    sign = "-" if offset < 0 else "+"
    hours, rest = divmod(abs(offset), 3600)
    minutes, seconds = divmod(rest, 60)
    shown = piece[1:].replace("07", f"{hours:02d}", 1)
    colon = ":" if ":" in piece else ""
    if len(piece) > 3:
        shown = f"{hours:02d}{colon}{minutes:02d}"
    if len(piece) > 6:
        shown += f"{colon}{seconds:02d}"
    return sign + shown


def parse_time(layout: str, value: str) -> Value:
    """Read `value` by `layout`.

    Returns {wall, nanosecond, offset?, zone?}: `offset` is there when the value says one, `zone` when it
    has an abbreviation. Raises Invalid with what was expected.
    """
    _check_layout(layout)
    reader = _Reader(layout, value)
    end = 0
    for match in _PIECES.finditer(layout):
        reader.literal(layout[end : match.start()])
        end = match.end()
        reader.read(match[0], layout[end : end + 1])
    reader.literal(layout[end:])
    if reader.rest:
        raise reader.wrong(f"extra text `{reader.rest[:40]}`")
    return reader.result()


def _check_layout(layout: str) -> None:
    if not isinstance(layout, str) or len(layout) > MAX_LAYOUT:
        raise Invalid(f"layout must be text of at most {MAX_LAYOUT} characters", retryable=False)


class _Reader:
    """Consumes a value piece by piece and keeps the fields that were read."""

    def __init__(self, layout: str, value: str) -> None:
        if not isinstance(value, str) or len(value) > MAX_LAYOUT:
            raise Invalid(f"time must be text of at most {MAX_LAYOUT} characters", retryable=False)
        self.layout, self.value, self.rest = layout, value, value
        self.fields: dict[str, int] = {}
        self.afternoon: bool | None = None
        self.zone: str | None = None

    def wrong(self, why: str) -> Invalid:
        return Invalid(f"can not parse `{self.value}` as `{self.layout}`: {why}", retryable=False)

    def literal(self, text: str) -> None:
        for character in text:
            if character == " ":
                self.rest = self.rest.lstrip(" ")
            elif self.rest.startswith(character):
                self.rest = self.rest[1:]
            else:
                raise self.wrong(f"expected `{character}` before `{self.rest[:40]}`")

    def take(self, pattern: str, what: str) -> str:
        match = re.match(pattern, self.rest, re.IGNORECASE | re.ASCII)
        if not match:
            raise self.wrong(f"expected {what} at `{self.rest[:40]}`")
        self.rest = self.rest[match.end() :]
        return match[0]

    def number(self, field: str, pattern: str, low: int, high: int) -> None:
        number = int(self.take(pattern, f"the {field}"))
        if not low <= number <= high:
            raise self.wrong(f"{field} {number} is out of range")
        self.fields[field] = number

    def name(self, field: str, names: list[str]) -> None:
        longest_first = sorted(names, key=len, reverse=True)
        found = self.take("|".join(longest_first), f"the name of a {field}").lower()
        self.fields[field] = next(index for index, name in enumerate(names) if name.lower() == found) + 1

    def read(self, piece: str, following: str) -> None:  # noqa: PLR0912
        if piece[0] in ".,":
            self.fraction(len(piece) - 1, exact=piece[1] == "0")
        elif len(piece) > 2 and piece[1:3] == "07":
            self.offset(piece)
        elif piece == "MST":
            self.abbreviation()
        elif piece in ("PM", "pm"):
            self.afternoon = self.take("AM|PM", "AM or PM").upper() == "PM"
        elif piece in ("January", "Jan"):
            self.name("month", _MONTHS if piece == "January" else [name[:3] for name in _MONTHS])
        elif piece in ("Monday", "Mon"):
            self.name("weekday", _DAYS if piece == "Monday" else [name[:3] for name in _DAYS])
        elif piece == "2006":
            self.number("year", r"\d{4}", 1, 9999)
        elif piece == "06":
            self.number("year", r"\d{2}", 0, 99)
            self.fields["year"] += 1900 if self.fields["year"] >= 69 else 2000
        elif piece in ("01", "1"):
            self.number("month", r"\d{2}" if piece == "01" else r"\d{1,2}", 1, 12)
        elif piece in ("02", "_2", "2"):
            self.rest = self.rest.lstrip(" ") if piece == "_2" else self.rest
            self.number("day", r"\d{2}" if piece == "02" else r"\d{1,2}", 1, 31)
        elif piece in ("002", "__2"):
            self.rest = self.rest.lstrip(" ") if piece == "__2" else self.rest
            self.number("day of the year", r"\d{3}" if piece == "002" else r"\d{1,3}", 1, 366)
        elif piece == "15":
            self.number("hour", r"\d{1,2}", 0, 23)
        elif piece in ("03", "3"):
            self.number("hour", r"\d{2}" if piece == "03" else r"\d{1,2}", 1, 12)
        elif piece in ("04", "4"):
            self.number("minute", r"\d{2}" if piece == "04" else r"\d{1,2}", 0, 59)
        else:
            self.number("second", r"\d{2}" if piece == "05" else r"\d{1,2}", 0, 59)
            if following not in (".", ",") and re.match(r"[.,]\d", self.rest):
                self.fraction(9, exact=False)

    def fraction(self, digits: int, *, exact: bool) -> None:
        if exact:
            text = self.take(rf"[.,]\d{{{digits}}}", f"a fraction of {digits} digits")
        elif re.match(r"[.,]\d", self.rest):
            text = self.take(r"[.,]\d{1,18}", "a fraction")
        else:
            return
        self.fields["nanosecond"] = int(text[1:10].ljust(9, "0"))

    def offset(self, piece: str) -> None:
        if piece[0] == "Z" and self.rest.startswith("Z"):
            self.rest = self.rest[1:]
            self.fields["offset"] = 0
            return
        colon = ":" if ":" in piece else ""
        parts = {3: 1, 5: 2, 6: 2, 7: 3, 9: 3}[len(piece)]
        pattern = r"[+-]\d\d" + rf"{colon}\d\d" * (parts - 1)
        text = self.take(pattern, f"an offset such as {piece.replace('Z', '-')}")
        numbers = [int(number) for number in re.findall(r"\d\d", text)]
        if numbers[0] > 24 or any(number > 59 for number in numbers[1:]):
            raise self.wrong(f"offset `{text}` is out of range")
        seconds = sum(number * unit for number, unit in zip(numbers, (3600, 60, 1), strict=False))
        self.fields["offset"] = -seconds if text[0] == "-" else seconds

    def abbreviation(self) -> None:
        text = self.take(r"UTC|GMT[+-]\d{1,2}|[+-]\d\d(?:\d\d)?|[A-Z]{3,5}", "a zone abbreviation")
        self.zone = text.upper()
        if self.zone == "UTC":
            self.fields["offset"] = 0
        elif self.zone.startswith("GMT") and len(text) > 3:
            self.fields["offset"] = int(text[3:]) * 3600

    def result(self) -> Value:
        fields = self.fields
        hour = fields.get("hour", 0)
        if self.afternoon is not None:
            hour = hour % 12 + (12 if self.afternoon else 0)
        try:
            moment = datetime(fields.get("year", 1), fields.get("month", 1), fields.get("day", 1), tzinfo=UTC)
            if "day of the year" in fields and "day" not in fields:
                moment = datetime(fields.get("year", 1), 1, 1, tzinfo=UTC)
                moment += timedelta(days=fields["day of the year"] - 1)
        except (ValueError, OverflowError):
            raise self.wrong("day is out of range") from None
        wall = round((moment - _EPOCH.replace(tzinfo=UTC)).total_seconds())
        wall += hour * 3600 + fields.get("minute", 0) * 60 + fields.get("second", 0)
        value: dict[str, Value] = {"wall": wall, "nanosecond": fields.get("nanosecond", 0)}
        if "offset" in fields:
            value["offset"] = fields["offset"]
        if self.zone is not None:
            value["zone"] = self.zone
        return value

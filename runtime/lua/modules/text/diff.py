"""Differences between two texts, and patches that carry them: Myers' shortest edit script, under a deadline.

Texts are compared by character. When the deadline passes, the part not yet compared is given as deleted and
inserted whole: still a true account of how one text becomes the other, only a longer one. Neighbouring edits
with hardly anything equal between them are joined, so that words are replaced and not letters.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Mapping
from urllib.parse import quote, unquote

from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_TEXT = 1_000_000
MAX_TIMEOUT = 5.0
MAX_PATCH_WORK = 1_000_000_000  # patches times characters
Edit = tuple[str, str]  # operation ("equal", "delete", "insert") and text

_COLOURS = {"equal": "{}", "delete": "\x1b[31m{}\x1b[0m", "insert": "\x1b[32m{}\x1b[0m"}
_TAGS = {"equal": "<span>{}</span>", "delete": "<del>{}</del>", "insert": "<ins>{}</ins>"}
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def compare(before: str, after: str, timeout: float, edit_cost: int) -> Value:
    """Return the edits [{operation, text}] that turn `before` into `after`."""
    return [{"operation": kind, "text": text} for kind, text in _edits(before, after, timeout, edit_cost)]


def summarize(diffs: object) -> Value:
    """Return {insertions, deletions, equals}: characters of each operation."""
    counts = {"insert": 0, "delete": 0, "equal": 0}
    for kind, text in _read(diffs):
        counts[kind] += len(text)
    return {"insertions": counts["insert"], "deletions": counts["delete"], "equals": counts["equal"]}


def pretty_text(diffs: object) -> Value:
    """Return the edits as text for a terminal: deletions red, insertions green."""
    return "".join(_COLOURS[kind].format(text) for kind, text in _read(diffs))


def pretty_html(diffs: object) -> Value:
    """Return the edits as HTML with `del`, `ins` and `span`; the text is escaped."""
    return "".join(_TAGS[kind].format(html.escape(text)) for kind, text in _read(diffs))


def patch_make(before: str, after: str, timeout: float, edit_cost: int, margin: int) -> Value:
    """Return patches [{text}], each one change with `margin` characters of what stands around it."""
    edits = _edits(before, after, timeout, edit_cost)
    patches: list[Value] = []
    at_before = at_after = 0
    for index, (kind, text) in enumerate(edits):
        if kind == "equal":
            at_before += len(text)
            at_after += len(text)
            continue
        joined = index > 0 and edits[index - 1][0] != "equal"
        if joined:  # an insertion right after its deletion went into the patch already
            continue
        change = [edits[index]]
        if index + 1 < len(edits) and edits[index + 1][0] != "equal":
            change.append(edits[index + 1])
        lead = before[max(0, at_before - margin) : at_before]
        removed = sum(len(part) for name, part in change if name == "delete")
        added = sum(len(part) for name, part in change if name == "insert")
        trail = before[at_before + removed : at_before + removed + margin]
        size = len(lead) + len(trail)
        lines = [
            f"@@ -{at_before - len(lead) + 1},{size + removed} +{at_after - len(lead) + 1},{size + added} @@",
            *(" " + _escape(lead),) * bool(lead),
            *(("-" if name == "delete" else "+") + _escape(part) for name, part in change),
            *(" " + _escape(trail),) * bool(trail),
        ]
        patches.append({"text": "\n".join(lines) + "\n"})
        at_before += removed
        at_after += added
    return patches


def patch_apply(patches: object, text: str, distance: int) -> Value:
    """Return [text, whether every patch found its place]; a place may have moved by `distance` characters."""
    _check(text)
    if not isinstance(patches, list):
        patches = [] if patches == {} else [None]
    if len(patches) * (len(text) + 1000) > MAX_PATCH_WORK:
        raise Invalid(f"{len(patches)} patches are too many for a text of this length", retryable=False)
    applied = True
    moved = 0
    for patch in patches:
        source = patch.get("text") if isinstance(patch, Mapping) else None
        if not isinstance(source, str):
            raise Invalid("each patch must be a table with a `text` from patch_make", retryable=False)
        start, old, new = _read_patch(source)
        expected = start + moved
        place = _nearest(text, old, expected, distance)
        if place < 0:
            applied = False
            continue
        text = text[:place] + new + text[place + len(old) :]
        moved += place - expected + len(new) - len(old)
        _check(text)
    return [text, applied]


def _nearest(text: str, wanted: str, expected: int, distance: int) -> int:
    low = max(0, expected - distance)
    window = text[low : expected + distance + len(wanted)]
    later = window.find(wanted, max(0, expected - low))
    earlier = window.rfind(wanted, 0, max(0, expected - low) + len(wanted))
    found = [place + low for place in (earlier, later) if place >= 0]
    return min(found, key=lambda place: abs(place - expected)) if found else -1


def _read_patch(source: str) -> tuple[int, str, str]:
    header, _, body = source.partition("\n")
    match = _HEADER.fullmatch(header.strip())
    if not match:
        raise Invalid("patch has no header such as `@@ -1,5 +1,6 @@`", retryable=False)
    old: list[str] = []
    new: list[str] = []
    for line in body.split("\n"):
        if not line:
            continue
        part = unquote(line[1:])
        if line[0] not in " +-":
            raise Invalid(f"patch line `{line[:40]}` starts with none of ` `, `+`, `-`", retryable=False)
        if line[0] in " -":
            old.append(part)
        if line[0] in " +":
            new.append(part)
    return max(0, int(match[1][:9]) - 1), "".join(old), "".join(new)


def _escape(text: str) -> str:
    return quote(text, safe=" !~*'();/?:@&=+$,#")


def _read(diffs: object) -> list[Edit]:
    if not isinstance(diffs, list):
        if diffs == {}:
            return []
        raise Invalid("diffs must be the array that compare returns", retryable=False)
    edits: list[Edit] = []
    for item in diffs:
        kind = item.get("operation") if isinstance(item, Mapping) else None
        text = item.get("text") if isinstance(item, Mapping) else None
        if kind not in _COLOURS or not isinstance(text, str):
            raise Invalid("each diff must be {operation = equal, insert or delete, text}", retryable=False)
        edits.append((str(kind), text))
    return edits


def _check(text: object) -> None:
    if not isinstance(text, str):
        raise Invalid("text must be a string of valid UTF-8", retryable=False)
    if len(text) > MAX_TEXT:
        raise Invalid(f"text of {len(text)} characters is over the limit of {MAX_TEXT}", retryable=False)


def _edits(before: str, after: str, timeout: float, edit_cost: int) -> list[Edit]:
    _check(before)
    _check(after)
    deadline = time.monotonic() + min(timeout if timeout > 0 else MAX_TIMEOUT, MAX_TIMEOUT)
    return _join_small_equals(_split_common(before, after, deadline), edit_cost)


def _split_common(before: str, after: str, deadline: float) -> list[Edit]:
    prefix = _common_prefix(before, after)
    rest_before, rest_after = before[prefix:], after[prefix:]
    suffix = _common_prefix(rest_before[::-1], rest_after[::-1])
    if suffix:
        tail = rest_before[-suffix:]
        rest_before, rest_after = rest_before[:-suffix], rest_after[:-suffix]
    else:
        tail = ""
    middle = _middle(rest_before, rest_after, deadline)
    edits = [("equal", before[:prefix]), *middle, ("equal", tail)]
    return [edit for edit in edits if edit[1]]


def _common_prefix(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:  # by halves: slices compare at the speed of memory
        half = (low + high + 1) // 2
        if a[low:half] == b[low:half]:
            low = half
        else:
            high = half - 1
    return low


def _middle(before: str, after: str, deadline: float) -> list[Edit]:
    whole = [("delete", before), ("insert", after)]
    if not before or not after:
        return whole
    meeting = _meeting_point(before, after, deadline)
    if meeting is None:
        return whole
    x, y = meeting
    return _split_common(before[:x], after[:y], deadline) + _split_common(before[x:], after[y:], deadline)


def _meeting_point(before: str, after: str, deadline: float) -> tuple[int, int] | None:
    """Return where the shortest edit scripts from both ends meet (Myers 1986, 4b), or None when late."""
    n, m = len(before), len(after)
    limit = (n + m + 1) // 2
    forward: dict[int, int] = {1: 0}
    backward: dict[int, int] = {1: 0}
    delta = n - m
    for steps in range(limit + 1):
        if time.monotonic() > deadline:
            return None
        for k in range(-steps, steps + 1, 2):
            down = k == -steps or (k != steps and forward.get(k - 1, -1) < forward.get(k + 1, -1))
            x = forward.get(k + 1, 0) if down else forward.get(k - 1, 0) + 1
            y = x - k
            if x > n or y > m or y < 0:
                forward[k] = min(x, n)
                continue
            while x < n and y < m and before[x] == after[y]:
                x += 1
                y += 1
            forward[k] = x
            mirrored = delta - k
            if delta % 2 and mirrored in backward and x + backward[mirrored] >= n and _splits(x, y, n, m):
                return x, y
        for k in range(-steps, steps + 1, 2):
            down = k == -steps or (k != steps and backward.get(k - 1, -1) < backward.get(k + 1, -1))
            x = backward.get(k + 1, 0) if down else backward.get(k - 1, 0) + 1
            y = x - k
            if x > n or y > m or y < 0:
                backward[k] = min(x, n)
                continue
            while x < n and y < m and before[n - x - 1] == after[m - y - 1]:
                x += 1
                y += 1
            backward[k] = x
            mirrored = delta - k
            if not delta % 2 and mirrored in forward and x + forward[mirrored] >= n:
                meeting = n - x, m - y
                if _splits(*meeting, n, m):
                    return meeting
    return None


def _splits(x: int, y: int, n: int, m: int) -> bool:
    return (x, y) not in ((0, 0), (n, m))


def _join_small_equals(edits: list[Edit], edit_cost: int) -> list[Edit]:
    """Merge neighbours of one kind, and take equal parts shorter than `edit_cost` into the edits."""
    pieces: list[Edit] = []
    for index, (kind, text) in enumerate(edits):
        inner = 0 < index < len(edits) - 1
        if kind == "equal" and inner and len(text) < edit_cost:
            pieces += [("delete", text), ("insert", text)]
        else:
            pieces.append((kind, text))
    joined: list[Edit] = []
    removed, added = "", ""
    for kind, text in [*pieces, ("equal", "")]:
        if kind == "delete":
            removed += text
        elif kind == "insert":
            added += text
        else:
            joined += [edit for edit in (("delete", removed), ("insert", added)) if edit[1]]
            removed, added = "", ""
            if joined and joined[-1][0] == "equal":
                joined[-1] = ("equal", joined[-1][1] + text)
            elif text:
                joined.append(("equal", text))
    return joined

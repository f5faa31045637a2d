"""What a provider or the network refuses becomes one of our errors: by status, with host and credential.

A refusal that no further request can change (a key, a quota) carries `details.fatal`. The key itself, and the
provider's words about it, are never repeated.
"""

from __future__ import annotations

import re
from typing import Any

from runtime.core.errors import Error, Invalid, NotFound, PermissionDenied, RateLimited, Timeout, Unavailable
from runtime.core.values import Value
from runtime.llm.endpoint import BASE_URL, KEY, Endpoint
from runtime.llm.plain import clean_text

MAX_WORDS = 300

_STATUS_OF_WORD = {
    "rate_limit": 429,
    "quota": 429,
    "authentication": 401,
    "api_key": 401,
    "invalid_request": 400,
}
_NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


def from_exception(error: BaseException, endpoint: Endpoint, model: str) -> Error:
    """Return the error for what the client raised: by status, else a timeout or an unreachable network."""
    import httpx2
    import openai

    if isinstance(error, Error):
        return error
    if isinstance(error, openai.APIStatusError):
        return from_status(error.status_code, error.body, endpoint, model)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return Timeout(f"the provider at `{endpoint.host}` did not answer in time", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        return _unreachable(endpoint, error.__cause__)
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
        return Unavailable(
            f"the connection to `{endpoint.host}` broke off in the middle of an answer: ask again",
            retryable=True,
        )
    if isinstance(error, httpx2.HTTPError | OSError):
        return _unreachable(endpoint, error)
    return Unavailable(f"the request to `{endpoint.host}` failed: {type(error).__name__}")


def from_stream(body: Any, endpoint: Endpoint, model: str) -> Error:
    """Return the error for an `error` object that came inside a stream."""
    code = _field(body, "code") or _field(body, "type")
    status = int(code) if re.fullmatch("[45][0-9]{2}", code) else 0
    if not status:
        words = f"{code} {_field(body, 'type')}".lower()
        status = next((number for word, number in _STATUS_OF_WORD.items() if word in words), 500)
    return from_status(status, body, endpoint, model)


def no_completion(body: Any, endpoint: Endpoint) -> Error:
    """Return the error for a whole answer that is neither a completion nor an error object."""
    words = _words(body, endpoint) or (_words(body.get("detail"), endpoint) if isinstance(body, dict) else "")
    return Unavailable(
        f"the provider at `{endpoint.host}` sent no completion{words}",
        retryable=True,
        details={"host": endpoint.host},
    )


def from_status(status: int, body: Any, endpoint: Endpoint, model: str) -> Error:
    """Return the error for an answer with `status`; `body` is the provider's error object, if it sent one."""
    words = _words(body, endpoint)
    details: dict[str, Value] = {"status": status, "host": endpoint.host}
    where = f"the provider at `{endpoint.host}`"
    if status in (401, 403):
        return PermissionDenied(
            f"{where} refused {_credential(endpoint)} (status {status}): set {KEY} to a key that it accepts",
            retryable=False,
            details={**details, "credential": endpoint.credential, "fatal": True},
        )
    if status == 404:
        hint = f"choose another with --model, or check {BASE_URL}"
        return NotFound(f"{where} has no model `{model}` (status 404){words}: {hint}", details=details)
    if status == 429 and out_of_quota(body):
        return RateLimited(
            f"{where} has no quota left for {_credential(endpoint)} (status 429): check its plan and billing",
            retryable=False,
            details={**details, "credential": endpoint.credential, "fatal": True},
        )
    if status == 429:
        return RateLimited(f"{where} asks to slow down (status 429){words}", retryable=True, details=details)
    if status == 408:
        return Timeout(f"{where} gave up waiting (status 408)", retryable=True, details=details)
    if status >= 500 or status == 409:
        return Unavailable(f"{where} failed (status {status}){words}", retryable=True, details=details)
    if 300 <= status < 400:
        return Unavailable(
            f"{where} sent a redirect (status {status}), and a credential goes to no other host: "
            f"set {BASE_URL} to the final address",
            details=details,
        )
    return Invalid(f"{where} refused the request (status {status}){words}", retryable=False, details=details)


def _unreachable(endpoint: Endpoint, cause: BaseException | None) -> Error:
    reason = f" ({clean_text(str(cause))[:MAX_WORDS]})" if cause and str(cause) else ""
    return Unavailable(
        f"`{endpoint.host}` can not be reached{reason}: check the network or {BASE_URL}",
        retryable=True,
        details={"host": endpoint.host},
    )


def _credential(endpoint: Endpoint) -> str:
    return f"the key in {KEY}" if endpoint.key else "a request without a key"


def out_of_quota(body: Any) -> bool:
    """Whether the provider's error object says that asking again can not help: nothing is left to spend."""
    return any(_field(body, name) in _NO_QUOTA for name in ("code", "type"))


def _words(body: Any, endpoint: Endpoint) -> str:
    """Return the provider's own message after a colon, without the key, cut, on one line; or nothing."""
    message = _field(body, "message") or (body if isinstance(body, str) else "")
    if endpoint.key:
        message = message.replace(endpoint.key, "[redacted]")
    message = " ".join(clean_text(message).split()).rstrip(".")
    if not message or message.startswith("<"):  # the page of some proxy
        return ""
    return f": {message[:MAX_WORDS]}"


def _field(body: Any, name: str) -> str:
    """Return a text field of the error object, which some servers wrap in `error` and others do not."""
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    value = body.get(name) if isinstance(body, dict) else None
    return clean_text(value) if isinstance(value, str) else str(value) if isinstance(value, int) else ""

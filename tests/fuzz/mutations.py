"""Damage to a kept input: to its bytes, and to what its JSON says."""

import json
import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

# What readers stumble over, as bytes and as values.
PIECES = [
    b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"\0", b"\n", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud83d",
    b"\\ude00", b"NaN", b"Infinity", b"-", b"1e400", b"9" * 5000, b"0.1", b"1e-400", b"true", b"null", b"in", b"not in",
    b"is missing", b"if", b"else", b"and", b"or", b"(", b")", b"known", b">", b"<=", b"\xc2\xb7", b"\xef\xbb\xbf",
    b"[" * 3000,
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**53, 2**61 - 1, 10**308, 10**400, 0.5, -0.0, 5e-324, 1e308, "", "a", "x", "\0",
    "a\0", "\ud800", "\ud83d\ude00", "\U0001f600", "9" * 60, "x" * 3000, [], {}, [[]], [None], [["x", 1.0]], "numeric",
    {"kind": "known", "column": "x"}, {"kind": "missing", "column": "z"}, "categorical", "membership", "filled",
]  # fmt: skip


def mutate(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """The input with one to four things changed in it."""
    for _ in range(rng.randint(1, 4)):
        data = _mutate_json(data, rng) if rng.random() < 0.6 else _mutate_bytes(data, others, rng)
    return data[:20_000]


def _mutate_bytes(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    to = min(at + int(rng.expovariate(0.1)), len(data))
    match rng.randrange(6):
        case 0:
            return data[:at] + data[to:]
        case 1:
            return data[:to] + data[at:to] + data[to:]
        case 2:
            return data[:at] + rng.choice(PIECES) + data[at:]
        case 3:
            return data[:at] + rng.choice(PIECES) + data[to:]
        case 4:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case _:
            other = rng.choice(others)
            return data[:at] + other[rng.randint(0, len(other)) :]


def _mutate_json(data: bytes, rng: random.Random) -> bytes:
    """What is no JSON, or no longer, stays as it is."""
    try:
        document = json.loads(data)
        places = list(_places(document))
    except (ValueError, RecursionError):
        return data
    if not places:
        return data
    holder, key = rng.choice(places)
    match rng.randrange(6):
        case 0:
            holder[key] = deepcopy(rng.choice(VALUES))
        case 1:
            other, its = rng.choice(places)
            holder[key] = deepcopy(other[its])
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder.insert(rng.randint(0, len(holder)), deepcopy(holder[key]))
        case 4 if isinstance(holder, list):
            rng.shuffle(holder)
        case _:
            value = holder[key]
            if isinstance(value, int | float) and not isinstance(value, bool):
                holder[key] = rng.choice([-value, value + 1, value * 10, 0])
    return json.dumps(document).encode()


def _places(node: Any) -> Any:
    """All places in a document, as what holds each and its key."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield node, key
        yield from _places(node[key])

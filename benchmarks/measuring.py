"""Timing and memory, in a way that a busy machine disturbs little."""

import statistics
import time
import tracemalloc
from collections.abc import Callable

REPEATS = 7


def seconds(*rivals: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Returns the median seconds of each rival; they take turns, so that a slow spell hits all of them."""
    times: list[list[float]] = [[] for _ in rivals]
    for _ in range(repeats):
        for rival, own in zip(rivals, times, strict=True):
            start = time.perf_counter()
            rival()
            own.append(time.perf_counter() - start)
    return [statistics.median(own) for own in times]


def peak_megabytes(call: Callable[[], object]) -> float:
    """Returns the most memory that a call holds at a time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()

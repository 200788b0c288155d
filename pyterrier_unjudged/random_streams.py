"""Random numbers that don't depend on what else is computed."""

from __future__ import annotations

import hashlib

import numpy as np


def topic_stream(seed: int, qid: str) -> np.random.Generator:
    """Returns the random numbers of a topic, which depend on the seed and its id and on nothing else."""
    key = hashlib.blake2b(f'{seed} {qid}'.encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=np.frombuffer(key, dtype=np.uint64)))

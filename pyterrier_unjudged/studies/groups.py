"""Groups of runs that are held out together, because a group's systems are alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def held_out(names: Iterable[str], groups: Mapping[str, str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yields for each group the names of all other runs, and of its own.

    Raises:
        ValueError: on names without a group, and where all are of one.
    """
    names = list(names)
    missing = [name for name in names if name not in groups]
    if missing:
        raise ValueError(f'There is no group for run(s) {missing}; groups must map each run to one.')
    own = {name: groups[name] for name in names}
    if len(set(own.values())) < 2:
        raise ValueError(f'There must be two groups at least, not {sorted(set(own.values()))}: nothing would be left.')
    for group in dict.fromkeys(own.values()):
        yield [name for name in names if own[name] != group], [name for name in names if own[name] == group]

"""Runs the benchmarks whose names begin with an argument, or all: ``python -m benchmarks [NAME …]``."""

import sys

from benchmarks import alternatives_to_bpref, bootstrap, comparing, shallow_pools, subsampling

BENCHMARKS = {'bootstrap': bootstrap.main, 'alternatives': alternatives_to_bpref.main,
              'shallow': shallow_pools.main, 'subsampling': subsampling.main,
              'comparing': comparing.main}


def main(chosen: list[str]) -> None:
    for name, benchmark in BENCHMARKS.items():
        if not chosen or any(name.startswith(start) for start in chosen):
            print(f'== {name}')
            benchmark()


if __name__ == '__main__':
    main(sys.argv[1:])

"""What all treatments share: they wrap a measure, read as they are written, and work on arrays or rewritten qrels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import MeanAgg, Measure, ParamInfo
from ir_measures.providers.base import NOT_PROVIDED

from pyterrier_unjudged import kernels, rewriting
from pyterrier_unjudged.judged_run import JudgedRun


class Treatment(Measure):
    """A measure that says what the unjudged documents are, for another measure.

    ``T(m)@k`` is ``T(m@k)``. Subclasses state their parameters in ``SUPPORTED_PARAMS`` and implement :meth:`treat`.
    """

    SUPPORTED_PARAMS = {'measure': ParamInfo(dtype=Measure, required=True, desc='the measure to treat')}

    def __init__(self, measure: Measure, **params: Any):
        if not isinstance(measure, Measure):
            raise ValueError(f'{self.NAME} treats a measure such as nDCG@10, not {measure!r}.')
        if isinstance(measure, Treatment):
            raise ValueError(f'{measure!r} is treated already; {self.NAME} can not treat it once more.')
        if measure.params.get('judged_only'):
            raise ValueError(f'{measure!r} leaves out unjudged documents by itself. Drop judged_only=True, or use '
                             'Condensed without it, which means the same.')
        unknown = set(params) - set(self.SUPPORTED_PARAMS)
        if unknown:
            raise ValueError(f'{self.NAME} has no parameter {sorted(unknown)}; it has {self._own_params()}.')
        for name, value in params.items():
            info = self.SUPPORTED_PARAMS[name]
            if not info.validate(value):
                choices = '' if info.choices is NOT_PROVIDED else f', one of {list(info.choices)}'
                raise ValueError(f'{self.NAME}: {name}={value!r} is not valid; it is {info.desc}{choices}.')
        super().__init__(measure=measure, **params)
        changed = [f'{name}={self[name]!r}' for name in self._own_params() if self[name] != self._default(name)]
        # ir_measures hashes and compares measures by their repr, for each topic: it is put together only once.
        self._text = f'{self.NAME}({",".join([repr(measure), *changed])})'

    @property
    def measure(self) -> Measure:
        """The measure that is treated."""
        return self.params['measure']

    @property
    def DEFAULT(self) -> float:  # noqa: N802 (the name that ir_measures gave it)
        """The value of a topic for which nothing was retrieved."""
        return self.measure.DEFAULT

    def __matmul__(self, at_param: Any) -> Treatment:
        return self(measure=self.measure @ at_param)

    def __repr__(self) -> str:
        return self._text

    def validate_params(self) -> None:
        super().validate_params()
        try:
            self.measure.validate_params()
        except AssertionError as error:
            missing = [name for name, info in self.measure.SUPPORTED_PARAMS.items()
                       if info.required and name not in self.measure.params]
            raise ValueError(f'{self!r}: {self.measure!r} is not complete or not valid '
                             f'({f"it needs {missing}" if missing else error}).') from None

    def run_inputs(self) -> list[str]:
        """Returns the columns of the run that the treatment reads besides those of every run."""
        return []

    def aggregator(self) -> MeanAgg:
        return MeanAgg()

    def treat(self, run: JudgedRun) -> JudgedRun:
        """Returns the run as it is after the treatment, cut off for the measure."""
        raise NotImplementedError

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        """Returns the value of each judged topic, shape (topics,)."""
        score = kernels.kernel(self.measure)
        if score is None:
            return self.evaluate_rewritten(run)
        treated = self.treat(run)
        return score(treated.labels, treated.pool)

    def evaluate_rewritten(self, run: JudgedRun) -> np.ndarray:
        """Returns the same values by way of qrels and a run that ir_measures' own providers can read."""
        qrels, ranking = self.rewrite(run)
        return rewriting.evaluate(self.measure, qrels, ranking, run.qids)

    def rewrite(self, run: JudgedRun) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Returns qrels and run frames to which the plain measure gives this treatment's values."""
        treated = self.treat(run)
        return rewriting.qrels_frame(run, treated), rewriting.run_frame(treated)

    @classmethod
    def evaluate_all(cls, measures: Sequence[Treatment], run: JudgedRun) -> list[np.ndarray]:
        """Returns the values of several measures of this treatment, which may share work."""
        return [measure.evaluate(run) for measure in measures]

    def _own_params(self) -> list[str]:
        return [name for name in self.SUPPORTED_PARAMS if name != 'measure']

    def _default(self, name: str) -> Any:
        return self.SUPPORTED_PARAMS[name].default


def treatment_params(**params: ParamInfo) -> dict[str, ParamInfo]:
    """Returns the parameters of a treatment: the measure, and those given."""
    return {**Treatment.SUPPORTED_PARAMS, **params}

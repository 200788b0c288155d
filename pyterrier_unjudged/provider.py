"""The ir_measures provider that evaluates treatments, and measures for which ir_measures has no other provider."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import Metric, providers
from ir_measures.measures import Measure
from ir_measures.util import RunConverter

from pyterrier_unjudged import kernels, rewriting
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.measures import InferredMeasure
from pyterrier_unjudged.rewriting import SUBTOPIC_MEASURES
from pyterrier_unjudged.treatments import Treatment


class UnjudgedProvider(providers.Provider):
    """Evaluates all treatments, inferred measures, and the plain measures that have a kernel.

    It is the last in ir_measures' default pipeline, so that plain measures reach it only where no other provider is
    installed or supports their parameters: RBP, ERR, and nDCG with exponential gains.
    """

    NAME = 'unjudged'

    def supports(self, measure: Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, Treatment | InferredMeasure) or kernels.supports(measure)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Returns the columns that a run needs: those of every run, and what the treatments read besides."""
        read = [measure.run_inputs() for measure in measures if isinstance(measure, Treatment)]
        return list(dict.fromkeys([*super().run_inputs(measures), *itertools.chain(*read)]))

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> UnjudgedEvaluator:
        return UnjudgedEvaluator(measures, qrels)


class UnjudgedEvaluator(providers.Evaluator):
    """Evaluates runs with judgments that are encoded once."""

    def __init__(self, measures: Iterable[Measure], qrels: Any):
        # ir_measures hands over a set, whose order differs from process to process.
        measures = sorted(set(measures), key=repr)
        self._parts: list[tuple[list[Measure], Judgments]] = []
        for subtopics, group in itertools.groupby(sorted(measures, key=_reads_subtopics), key=_reads_subtopics):
            self._parts.append((list(group), Judgments.encode(qrels, _whole_collection(), subtopics)))
        super().__init__(measures, set(self._parts[0][1].qids) if self._parts else set())

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        runs = RunConverter(run).tee(len(self._parts))
        for (measures, judgments), converter in zip(self._parts, runs, strict=True):
            judged_run = JudgedRun.encode(converter.run, judgments)
            for measure, values in evaluate(measures, judged_run).items():
                yield from (Metric(query_id=qid, measure=measure, value=float(value))
                            for qid, value in zip(judged_run.qids, values, strict=True))


def evaluate(measures: Iterable[Measure], run: JudgedRun) -> dict[Measure, np.ndarray]:
    """Returns the values of each measure for each judged topic, shape (topics,); alike treatments share work."""
    values: dict[Measure, np.ndarray] = {}
    for treatment, alike in itertools.groupby(sorted(measures, key=_treatment_name), key=_treatment_name):
        alike = list(alike)
        if treatment:
            values.update(zip(alike, type(alike[0]).evaluate_all(alike, run), strict=True))
        else:
            values.update((measure, _plain(measure, run)) for measure in alike)
    return values


def _plain(measure: Measure, run: JudgedRun) -> np.ndarray:
    if isinstance(measure, InferredMeasure):
        return measure.evaluate(run)
    score = kernels.kernel(measure)
    if score is None:
        return rewriting.evaluate(measure, run.judgments.frame, rewriting.run_frame(run), run.qids)
    top = run.top(kernels.cutoff(measure))
    return score(top.labels, top.pool)


def _treatment_name(measure: Measure) -> str:
    return measure.NAME if isinstance(measure, Treatment) else ''


def _reads_subtopics(measure: Measure) -> bool:
    return isinstance(measure, Treatment) and measure.measure.NAME in SUBTOPIC_MEASURES


def _whole_collection() -> pd.DataFrame | None:
    """Returns the judgments of all topics where pt.Experiment evaluates a batch of them, None elsewhere.

    With ``batch_size``, pt.Experiment hands over only the judgments of the batch. What is defined over the collection
    (its highest grade, its pool) would then change with the batch, without a sign. PyTerrier passes no hint along, but
    the function that cut the batch still holds the whole.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get('__name__', '').startswith('pyterrier._evaluation') and frame.f_locals.get('batch_size'):
            qrels = frame.f_locals.get('qrels')
            if isinstance(qrels, pd.DataFrame):
                return pt.model.to_ir_measures(qrels)
        frame = frame.f_back
    return None


provider = providers.register(UnjudgedProvider())
ir_measures.DefaultPipeline.providers.append(provider)

"""Measures and treatments from text, as their repr writes them."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from ir_measures.measures import Measure, registry

from pyterrier_unjudged.measures import MEASURES
from pyterrier_unjudged.treatments import TREATMENTS


def parse_measure(text: str) -> Measure:
    """Reads a measure or a treatment as it is written in code.

    Args:
        text: such as ``'nDCG@10'`` or ``'Bootstrap(nDCG@10, stat=0.95)'``.

    Raises:
        ValueError: where the text is no measure; it names the part that isn't understood.

    Example:
        >>> parse_measure("Bootstrap(nDCG@10, prior='pool+run', stat=0.95)")
        Bootstrap(nDCG@10,stat=0.95)
    """
    try:
        expression = ast.parse(text.strip(), mode='eval').body
    except SyntaxError as error:
        raise ValueError(f'{text!r} is not a measure: {error.msg}. Write it as in code, e.g. '
                         'Bootstrap(nDCG@10, stat=0.95).') from None
    return _measure(expression)


def _measure(node: ast.expr) -> Measure:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _measure(node.left) @ _literal(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        known = _named(node.func)
        params = {keyword.arg: _literal(keyword.value) for keyword in node.keywords if keyword.arg}
        if isinstance(known, Measure):
            if node.args or len(params) < len(node.keywords):
                raise ValueError(f'{ast.unparse(node)}: the parameters of {node.func.id} must be named.')
            return _with_params(known, params)
        if len(node.args) != 1:
            raise ValueError(f'{ast.unparse(node)}: {node.func.id} treats one measure, e.g. {node.func.id}(nDCG@10).')
        return known(_measure(node.args[0]), **params)
    if isinstance(node, ast.Name):
        known = _named(node)
        if isinstance(known, Measure):
            return known
        raise ValueError(f'{node.id} treats a measure: write {node.id}(nDCG@10).')
    raise ValueError(f'{ast.unparse(node)} is not a measure.')


def _named(node: ast.Name) -> Any:
    known = {**registry, **MEASURES, **TREATMENTS}
    if node.id not in known:
        near = difflib.get_close_matches(node.id, known, n=3, cutoff=0.5)
        hint = f'Did you mean {" or ".join(near)}?' if near else f'Known are {", ".join(sorted(known))}.'
        raise ValueError(f'There is no measure named {node.id!r}. {hint}')
    return known[node.id]


def _with_params(measure: Measure, params: dict[str, Any]) -> Measure:
    unknown = set(params) - set(measure.SUPPORTED_PARAMS)
    if unknown:
        raise ValueError(f'{measure!r} has no parameter {sorted(unknown)}; it has {list(measure.SUPPORTED_PARAMS)}.')
    return measure(**params)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f'{ast.unparse(node)} is not a number, text, or other plain value.') from None

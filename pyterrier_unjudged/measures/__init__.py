"""Measures that ir_measures lacks, one family per file; each is registered with ir_measures."""

from pyterrier_unjudged.measures.inferred import InfAP, InferredMeasure, InfRBP, infNDCG, xinfAP
from pyterrier_unjudged.measures.ndcg_jk import nDCG_JK
from pyterrier_unjudged.measures.preference import BPref, RPref
from pyterrier_unjudged.measures.q import Q

#: name -> measure
MEASURES = {measure.NAME: measure for measure in (Q, nDCG_JK, BPref, RPref, InfRBP, infNDCG, xinfAP)} | {'InfAP': InfAP}

__all__ = ['MEASURES', 'BPref', 'InfAP', 'InfRBP', 'InferredMeasure', 'Q', 'RPref', 'infNDCG', 'nDCG_JK', 'xinfAP']

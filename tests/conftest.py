"""Collections that tests share: generated ones, and the real ones in the folder that UNJUDGED_DATA names."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

os.environ['PT_TEST_TRANSFORMER_REPORTS'] = '0'  # PyTerrier's reports on transformers, as warnings

# Local runs look for new examples each time; a change must not fail to land for what it did not change.
settings.register_profile('default', deadline=None, max_examples=25 if 'CI' in os.environ else 50,
                          derandomize='CI' in os.environ,
                          suppress_health_check=[HealthCheck.too_slow],
                          phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
settings.load_profile('default')


@pytest.fixture(scope='session')
def real_data() -> Path:
    folder = os.environ.get('UNJUDGED_DATA')
    if not folder:
        pytest.skip('UNJUDGED_DATA is not set: it names the folder with real runs and judgments')
    return Path(folder)

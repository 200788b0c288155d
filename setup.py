from pathlib import Path

from setuptools import find_packages, setup

PLOTS = ['matplotlib>=3.7']
EXTRACT = ['fastwarc>=0.15', 'fsspec', 'resiliparse>=0.15']
PISA = 'pyterrier-pisa>=0.4; sys_platform == "linux" and platform_machine == "x86_64" and python_version < "3.14"'
NOTEBOOKS = [*PLOTS, 'ipykernel', 'nbclient', 'nbformat', PISA]

setup(
    name='pyterrier-unjudged',
    version='0.1.0',
    description='Retrieval evaluation with documents that nobody judged, for PyTerrier and ir_measures',
    long_description=Path(__file__).with_name('README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='MIT',
    packages=find_packages(include=['pyterrier_unjudged*']),
    package_data={'pyterrier_unjudged': ['pt_docs/*', 'datasets/demo/*', 'datasets/demo/results/*']},
    python_requires='>=3.10',
    install_requires=['python-terrier>=1.0', 'ir_measures>=0.4', 'joblib>=1.3', 'pandas>=2.0', 'numpy>=1.25',
                      'scipy>=1.10', 'statsmodels>=0.14'],
    extras_require={
        'plots': PLOTS,
        'demo': PLOTS,
        'energy': ['codecarbon>=2.3'],
        'extract': EXTRACT,
        'parquet': ['pyarrow'],
        'test': [*NOTEBOOKS, *EXTRACT, 'cwl-eval', 'distributed', 'hypothesis', 'pyNTCIREVAL', 'pyarrow', 'pyndeval',
                 'pytest', 'pytest-xdist', 'ruff'],
    },
    entry_points={
        'pyterrier.artifact': ['subcorpus.unjudged = pyterrier_unjudged.subsampling:Subcorpus'],
        'pyterrier.dataset_provider': ['unjudged = pyterrier_unjudged.datasets:DatasetProvider'],
    },
    classifiers=[
        'Intended Audience :: Science/Research',
        'Programming Language :: Python :: 3',
        'Topic :: Scientific/Engineering :: Information Analysis',
    ],
)

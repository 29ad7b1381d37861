"""Data and fits that several tests look at."""

import signal

import numpy as np
import pytest

import sbmds

# Programs that a shell starts in the background ignore Ctrl-C; these tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: Few and short chains: enough for everything but convergence of large problems.
SHORT = {"chains": 2, "warmup": 300, "draws": 300, "seed": 7, "progress": False, "if_not_converged": "ignore"}


@pytest.fixture(scope="session")
def data():
    """Twelve objects with little noise."""
    return sbmds.simulate(objects=12, sd=0.1, seed=5)


@pytest.fixture(scope="session")
def names():
    return [f"object {letter}" for letter in "abcdefghijkl"]


@pytest.fixture(scope="session")
def fit(data, names):
    return sbmds.fit(data.distances, names=names, **SHORT)


@pytest.fixture(scope="session")
def short():
    return dict(SHORT)


@pytest.fixture
def close():
    return lambda a, b, tolerance: np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)

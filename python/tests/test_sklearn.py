"""The estimator."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from sbmds.sklearn import BayesianMDS  # noqa: E402

#: Short chains: the checks are about conduct, not convergence.
QUICK = {"chains": 1, "warmup": 20, "draws": 20, "random_state": 0, "n_jobs": 1}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([BayesianMDS(**QUICK), BayesianMDS(metric="precomputed", **QUICK)])
def test_conduct(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def fitted(data):
    return BayesianMDS(metric="precomputed", chains=2, warmup=500, draws=1500, random_state=1).fit(data.distances)


def test_attributes(fitted, data):
    assert fitted.embedding_.shape == fitted.embedding_sd_.shape == (12, 2)
    assert fitted.converged_ and fitted.n_iter_ == 2000 and fitted.n_features_in_ == 12
    assert 0 < fitted.sigma_ < 1 and 0 < fitted.stress_ < 0.2
    # Kruskal's Stress-1: the root of squared residuals over squared distances.
    rows, columns = np.triu_indices(12, 1)
    d = np.linalg.norm(fitted.embedding_[rows] - fitted.embedding_[columns], axis=1)
    delta = data.distances[rows, columns]
    assert fitted.stress_ == pytest.approx(np.sqrt(((delta - d) ** 2).sum() / (d**2).sum()), rel=0.05)


def test_precomputed_and_features_agree(data):
    x = data.truth
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    quick = {"chains": 2, "warmup": 300, "draws": 300, "random_state": 1}
    by_us = BayesianMDS(**quick).fit(x)
    by_them = BayesianMDS(metric="minkowski", metric_params={"p": 2}, **quick).fit(x)
    given = BayesianMDS(metric="precomputed", **quick).fit(d)
    np.testing.assert_allclose(by_us.embedding_, given.embedding_, atol=0.05)
    np.testing.assert_allclose(by_them.embedding_, given.embedding_, atol=0.05)


@pytest.mark.filterwarnings("ignore")
def test_pipeline_pandas_and_clone(data):
    pytest.importorskip("pandas")
    pipeline = make_pipeline(StandardScaler(), BayesianMDS(**QUICK)).set_output(transform="pandas")
    found = pipeline.fit_transform(data.truth)
    assert list(found.columns) == ["bayesianmds0", "bayesianmds1"] and len(found) == 12
    copy = clone(BayesianMDS(**QUICK))
    np.testing.assert_array_equal(copy.fit_transform(data.truth), BayesianMDS(**QUICK).fit_transform(data.truth))


@pytest.mark.filterwarnings("ignore")
def test_equal_rows_are_where_the_map_has_them(data):
    x = np.concatenate([data.truth[:6], data.truth[:3], data.truth[:1]])
    mds = BayesianMDS(**QUICK).fit(x)
    np.testing.assert_array_equal(mds.transform(x), mds.embedding_)
    # More of them than were fitted are where the last one is.
    np.testing.assert_array_equal(mds.transform(x[[0, 0, 0, 0]]), mds.embedding_[[0, 6, 9, 9]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_jobs", [-1, -2, -100, 1, 2, None])
def test_threads_as_others_count_them(n_jobs, data):
    expected = BayesianMDS(**QUICK).fit_transform(data.truth)
    np.testing.assert_array_equal(BayesianMDS(**{**QUICK, "n_jobs": n_jobs}).fit_transform(data.truth), expected)


@pytest.mark.filterwarnings("ignore")
def test_a_pickled_estimator_places_new_rows(data, tmp_path):
    import copy
    import pickle

    import joblib

    mds = BayesianMDS(**QUICK).fit(data.truth[:9])
    expected = mds.transform(data.truth)
    joblib.dump(mds, tmp_path / "mds.joblib")
    for again in (pickle.loads(pickle.dumps(mds)), joblib.load(tmp_path / "mds.joblib"), copy.deepcopy(mds)):
        np.testing.assert_array_equal(again.transform(data.truth), expected)


@pytest.mark.filterwarnings("ignore")
def test_missing_and_seeds(data):
    d = data.distances.copy()
    d[0, 1] = d[1, 0] = np.nan
    assert BayesianMDS(metric="precomputed", **QUICK).fit(d).fit_.details["n_pairs"] == 65
    states = [np.random.RandomState(3) for _ in range(2)]
    a, b = (BayesianMDS(**{**QUICK, "random_state": state}).fit_transform(data.truth) for state in states)
    np.testing.assert_array_equal(a, b)


def test_a_bad_verdict_warns_as_scikit_learn_does(data):
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning):
        BayesianMDS(**QUICK).fit(data.truth)

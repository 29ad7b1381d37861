"""Every flag of `sbmds fit` is an argument of `sbmds.fit`, by the same name with underscores."""

import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

import sbmds
from sbmds._errors import SWITCHES

#: Arguments of Python that are no flags, and flags that are something else in Python.
OWN, ELSEWHERE = {"data", "if_not_converged"}, {"help", "features"}


def flags():
    """Flags by name, and whether they take a value."""
    page = subprocess.run([sys.executable, "-m", "sbmds", "fit", "-h"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ +(?:-\w, )?--([a-z-]+)( <)?", page, re.MULTILINE)
    return {name.replace("-", "_"): bool(value) for name, value in found}


def test_flags_are_arguments():
    arguments = set(inspect.signature(sbmds.fit).parameters)
    assert arguments - OWN == set(flags()) - ELSEWHERE


def test_flags_without_a_value_are_known():
    switches = {name for name, has_value in flags().items() if not has_value} - {"help"}
    # One of them is hidden.
    assert switches == SWITCHES - {"standardize"}


def test_switches_are_false_and_others_none_by_default():
    known, parameters = flags(), inspect.signature(sbmds.fit).parameters
    for name, has_value in known.items():
        if name not in ELSEWHERE:
            assert parameters[name].default is (None if has_value else False), name


def test_every_argument_is_documented():
    for name in inspect.signature(sbmds.fit).parameters:
        assert re.search(rf"\b{name}\b", sbmds.fit.__doc__), name


@pytest.mark.parametrize(
    "settings",
    [
        {"noise": "student-t", "nu": 4.0},
        {"noise": "log-normal"},
        {"couplings": "landmark:4", "landmarks": "maxmin", "order": "given"},
        {"arithmetic": "f64", "sampler": "hmc", "leapfrog_steps": 5, "jitter": 0.2, "paper_adaptation": True},
        {"priors": "paper", "noise_shape": 2.0, "noise_rate": 0.1, "storage": "f32", "start": "prior", "no_mode_jumps": True},
    ],
    ids=lambda settings: next(iter(settings.values())),
)
def test_settings_reach_the_program(settings, data, short, tmp_path):
    np.save(tmp_path / "data.npy", data.distances)
    flags = {name: value for name, value in {**settings, **short}.items() if name not in ("progress", "if_not_converged")}
    words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in flags.items()]
    run = tmp_path / "run"
    command = [sys.executable, "-m", "sbmds", "fit", tmp_path / "data.npy", "--no-report", "--out", run, *words]
    assert subprocess.run(command, capture_output=True).returncode in (0, 1)
    found = sbmds.fit(data.distances, **settings, **short)
    assert np.array_equal(found.draws, sbmds.open(run).draws)


def test_weights_and_errors_are_arrays_or_files(data, names, short, tmp_path):
    rng = np.random.default_rng(1)
    weights = np.triu(rng.uniform(0.5, 2.0, size=(12, 12)), 1)
    weights += weights.T
    np.save(tmp_path / "weights.npy", weights)
    plain = sbmds.fit(data.distances, **short)
    as_array = sbmds.fit(data.distances, weights=weights, **short)
    as_file = sbmds.fit(data.distances, weights=tmp_path / "weights.npy", **short)
    assert np.array_equal(as_array.draws, as_file.draws) and not np.array_equal(as_array.draws, plain.draws)
    named = sbmds.fit(data.distances, names=names, weights=weights, **short)
    assert np.array_equal(named.draws, as_array.draws)
    on_disk = sbmds.fit(data.distances, weights=weights, out=tmp_path / "run", **short)
    assert np.array_equal(on_disk.draws, as_array.draws)
    errors = sbmds.fit(data.distances, errors=np.full((12, 12), 0.3), known_errors="add", **short)
    assert errors.sigma.mean() < plain.sigma.mean()


def test_columns_of_weights(data, short):
    pandas = pytest.importorskip("pandas")
    rows = [(f"o{a}", f"o{b}", data.distances[a, b], 1.0 + (a + b) % 3) for a in range(12) for b in range(a + 1, 12)]
    table = pandas.DataFrame(rows, columns=["a", "b", "value", "w"])
    found = sbmds.fit(table, weight="w", value="value", **short)
    ones = sbmds.fit(table.assign(w=1.0), weight="w", value="value", **short)
    assert found.n_objects == 12 and not np.array_equal(found.draws, ones.draws)


def test_negative_dissimilarities_where_the_noise_admits_them(data, short):
    d = data.distances.copy()
    d[0, 1] = d[1, 0] = -0.1
    with pytest.raises(ValueError, match="negative"):
        sbmds.fit(d, **short)
    assert sbmds.fit(d, noise="normal", **short).n_objects == 12


def test_titres_of_a_table(short, tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    virus, serum = rng.normal(size=(9, 2)), rng.normal(size=(6, 2))
    levels = np.round(8 - 2 * np.linalg.norm(virus[:, None] - serum[None], axis=-1))
    titres = [[f"{int(10 * 2**level)}" if level > 0 else "<10" for level in row] for row in levels]
    titres[2][3] = "*"
    table = pandas.DataFrame(titres, index=[f"v{k}" for k in range(9)], columns=[f"s{k}" for k in range(6)])
    table.to_csv(tmp_path / "hi.csv")
    of_table, of_file = sbmds.fit(table, titers=True, **short), sbmds.fit(tmp_path / "hi.csv", titers=True, **short)
    assert of_table.n_objects == 15 and np.array_equal(of_table.draws, of_file.draws)
    on_disk = sbmds.fit(table, titers=True, out=tmp_path / "run", **short)
    assert np.array_equal(on_disk.draws, of_table.draws)
    with pytest.raises(ValueError, match="pandas or polars"):
        sbmds.fit(levels, titers=True, **short)

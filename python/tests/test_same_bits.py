"""The same seed gives the same bits from Python and from the command line, in memory and in a directory."""

import hashlib
import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import sbmds

FLAGS = {"chains": 2, "warmup": 200, "draws": 200, "seed": 3}
QUIET = {"progress": False, "if_not_converged": "ignore"}


def command(*words, **settings):
    flags = [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    done = subprocess.run([sys.executable, "-m", "sbmds", *map(str, words), *flags], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def hashes(run):
    """Every file of a run but the lock and the checkpoints, which hold times."""
    files = [path for path in run.rglob("*") if path.is_file()]
    kept = [path for path in files if path.name != ".lock" and path.parent.name != "checkpoints"]
    return {str(path.relative_to(run)): hashlib.sha256(_timeless(path)).hexdigest() for path in kept}


def _timeless(path):
    """The content without the seconds that the fit took, and their checksum."""
    content = path.read_bytes()
    if path.name == "summary.json":
        summary = json.loads(content)
        summary.pop("seconds")
        summary.pop("seconds_checksum")
        return json.dumps(summary).encode()
    return content


@pytest.fixture(scope="module")
def table(data, names, tmp_path_factory):
    pandas = pytest.importorskip("pandas")
    path = tmp_path_factory.mktemp("data") / "table.csv"
    pandas.DataFrame(data.distances, index=names, columns=names).to_csv(path)
    return path


def test_a_path_with_out_makes_the_directory_of_the_command_line(table, tmp_path):
    # The name of the directory stands in the map.
    command("fit", table, "--out", tmp_path / "cli" / "run", **FLAGS)
    sbmds.fit(table, out=tmp_path / "python" / "run", **QUIET, **FLAGS)
    ours, theirs = hashes(tmp_path / "python" / "run"), hashes(tmp_path / "cli" / "run")
    assert sorted(ours) == sorted(theirs)
    different = [name for name in ours if ours[name] != theirs[name]]
    assert different == []


def test_a_fit_in_memory_has_the_draws_of_the_command_line(table, data, names, tmp_path):
    command("fit", table, "--out", tmp_path / "cli", "--no-report", **FLAGS)
    of_command_line = sbmds.open(tmp_path / "cli")
    for found in (sbmds.fit(data.distances, names=names, **QUIET, **FLAGS), sbmds.fit(table, **QUIET, **FLAGS)):
        assert np.array_equal(found.draws, of_command_line.draws)
        assert np.array_equal(found.raw_draws, of_command_line.raw_draws)
        assert np.array_equal(found.map, of_command_line.map) and np.array_equal(found.covariance, of_command_line.covariance)
        for name in found.variables:
            assert np.array_equal(found.variable(name), of_command_line.variable(name), equal_nan=True), name
        ours, theirs = found.details, of_command_line.details
        for changing in ("seconds", "files"):
            ours.pop(changing), theirs.pop(changing)
        assert ours == theirs
    assert found.path is None and of_command_line.path == tmp_path / "cli"


def test_an_array_with_out_is_kept_as_a_pipe_is(data, tmp_path):
    found = sbmds.fit(data.distances, out=tmp_path / "run", **QUIET, **FLAGS)
    in_memory = sbmds.fit(data.distances, **QUIET, **FLAGS)
    assert np.array_equal(found.draws, in_memory.draws)
    np.save(tmp_path / "data.npy", data.distances)
    assert (tmp_path / "run" / "input").read_bytes() == (tmp_path / "data.npy").read_bytes()
    with open(tmp_path / "data.npy", "rb") as pipe:
        words = [sys.executable, "-m", "sbmds", "fit", "-", "--format", "npy", "--out", str(tmp_path / "piped" / "run")]
        words += [f"--{name}={value}" for name, value in FLAGS.items()]
        assert subprocess.run(words, stdin=pipe, capture_output=True).returncode in (0, 1)
    ours, theirs = hashes(tmp_path / "run"), hashes(tmp_path / "piped" / "run")
    assert [name for name in theirs if ours.get(name) != theirs[name]] == []


@pytest.mark.parametrize("form", ["named", "pairs", "features"])
def test_other_forms_with_out_have_the_draws_in_memory(form, data, names, tmp_path):
    given, settings = {
        "named": (data.distances, {"names": names}),
        "pairs": ([(names[a], names[b], data.distances[a, b]) for a in range(12) for b in range(a)], {}),
        "features": (data.truth, {"metric": "manhattan", "names": names}),
    }[form]
    on_disk = sbmds.fit(given, out=tmp_path / "run", **QUIET, **settings, **FLAGS)
    in_memory = sbmds.fit(given, **QUIET, **settings, **FLAGS)
    assert on_disk.names == in_memory.names
    assert np.array_equal(on_disk.draws, in_memory.draws)
    reopened = sbmds.open(tmp_path / "run")
    assert np.array_equal(reopened.draws, on_disk.draws)
    assert len(reopened.plot("shepard").collections) > 0


def test_resuming_gives_the_draws_of_one_go(data, tmp_path):
    settings = {**FLAGS, "draws": 50}
    sbmds.fit(data.distances, out=tmp_path / "run", **QUIET, **settings)
    longer = sbmds.fit(data.distances, out=tmp_path / "run", resume=True, draws=200, **QUIET)
    at_once = sbmds.fit(data.distances, **QUIET, **FLAGS)
    assert np.array_equal(longer.raw_draws.shape, at_once.raw_draws.shape)
    assert np.array_equal(longer.sigma, at_once.sigma)
    with pytest.raises(ValueError, match="not those"):
        sbmds.fit(2 * data.distances, out=tmp_path / "run", resume=True, draws=300, **QUIET)
    with pytest.raises(FileExistsError, match="resume=True"):
        sbmds.fit(data.distances, out=tmp_path / "run", **QUIET)


def test_threads_do_not_matter(data):
    one, two = (sbmds.fit(data.distances, threads=threads, **QUIET, **FLAGS) for threads in (1, 2))
    assert np.array_equal(one.draws, two.draws)


def test_a_tree_as_text_or_file(tmp_path):
    newick = "((a:1,b:1):1,(c:1,(d:0.5,e:0.5):0.5):1);"
    d = np.array([[abs(x - y) for x in (0, 1, 3, 4, 4.5)] for y in (0, 1, 3, 4, 4.5)]) + 0.2 * (1 - np.eye(5))
    settings = {**FLAGS, "names": list("abcde"), **QUIET}
    (tmp_path / "tree.nwk").write_text(newick)
    text, file = sbmds.fit(d, tree=newick, **settings), sbmds.fit(d, tree=tmp_path / "tree.nwk", **settings)
    assert np.array_equal(text.draws, file.draws)
    assert "diffusion_rate" in text.variables and "diffusion_rate" in text.summary().index
    on_disk = sbmds.fit(d, tree=newick, out=tmp_path / "run", **settings)
    assert np.array_equal(on_disk.draws, text.draws)


def test_the_program_is_there(tmp_path):
    assert "sbmds" in command("--version").stdout
    simulated = command("simulate", "--objects", "6", "--out", tmp_path).stdout
    assert "6 objects" in simulated
    matrix = np.loadtxt(tmp_path / "distances.csv", delimiter=",", skiprows=1, usecols=range(1, 7))
    assert np.array_equal(matrix, sbmds.simulate(objects=6).distances)
    bad = subprocess.run([sys.executable, "-m", "sbmds", "fit", "no-such-file"], capture_output=True, text=True)
    assert bad.returncode == 2 and "no-such-file" in bad.stderr


def test_settings_are_those_of_the_configuration(data, tmp_path):
    found = sbmds.fit(data.distances, dims=3, prior_scale=2.5, keep="thin:2", learn_scale=True, out=tmp_path / "run",
                      **QUIET, **FLAGS)  # fmt: skip
    config = tomllib.loads((tmp_path / "run" / "config.toml").read_text())
    assert config["model"]["n_dims"] == 3 and config["priors"]["scale"] == 2.5 and config["priors"]["learn_scale"]
    assert found.n_draws == 100 and found.settings["run"]["keep"] == "thin:2"

"""How far a fit is: on a terminal, in a notebook, for a function."""

import sys
import types

import pytest

import sbmds
from sbmds import _progress


def chains(*iterations, n_warmup=100, n_iterations=200):
    return [None if k is None else _progress.ChainProgress(k, n_iterations, n_warmup, 0, 0.1, 1.0) for k in iterations]


def test_the_state_in_words():
    state = _progress._state
    assert state(chains(), 2) == (0, 2, "warm-up")
    assert state(chains(50, 120), 4) == (170, 800, "warm-up")
    # Chains that wait for their turn say nothing of those at work.
    assert state(chains(150, 120), 4) == (270, 800, "sampling")
    assert state(chains(150, None, 100), 2) == (250, 600, "sampling")


def test_the_number_of_chains(tmp_path):
    count = _progress.n_chains
    assert count(None, None, None, None) == 4 and count(3, None, None, None) == 3 and count(None, 2, None, None) == 1
    (tmp_path / "config.toml").write_text("[run]\nchains = 6\n")
    assert count(None, None, tmp_path / "config.toml", None) == 6 and count(2, None, tmp_path / "config.toml", None) == 2
    assert count(None, None, None, tmp_path) == 6
    (tmp_path / "config.toml").write_text("[run]\nchains = 6\nchain = 2\n")
    assert count(None, None, None, tmp_path) == 1
    assert count(None, None, tmp_path / "nowhere.toml", None) == 4


class FakeBar:
    """A bar of tqdm that remembers."""

    made = []

    def __init__(self, total, desc, unit, leave):
        self.total, self.desc, self.n, self.words, self.is_closed = total, desc, 0, [], False
        FakeBar.made.append(self)

    def set_postfix_str(self, words, refresh):
        self.words.append(words)

    def update(self, more):
        self.n += more

    def close(self):
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr(FakeBar, "made", [])
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(auto=None))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=FakeBar))
    return FakeBar.made


def in_shell(monkeypatch, name):
    shell = type(name, (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)


def test_a_notebook_has_a_bar(monkeypatch, bars, data, short):
    in_shell(monkeypatch, "ZMQInteractiveShell")
    sbmds.fit(data.distances, **{**short, "progress": None})
    (bar,) = bars
    assert bar.desc == "sbmds, 2 chains" and bar.is_closed
    assert (bar.n, bar.total) == (1200, 1200) and bar.words[-1] == "sampling"


def test_elsewhere_there_is_none(monkeypatch, bars, data, short):
    in_shell(monkeypatch, "TerminalInteractiveShell")
    sbmds.fit(data.distances, **{**short, "progress": None})
    assert bars == []


def test_the_bar_of_a_run_that_goes_on(monkeypatch, bars, data, short, tmp_path):
    in_shell(monkeypatch, "ZMQInteractiveShell")
    sbmds.fit(data.distances, out=tmp_path / "run", **short)
    sbmds.fit(out=tmp_path / "run", resume=True, draws=400, if_not_converged="ignore")
    (bar,) = bars
    assert bar.desc == "sbmds, 2 chains" and (bar.n, bar.total) == (1400, 1400)

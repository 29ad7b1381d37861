"""Fits: :func:`fit` and :func:`open`."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from . import _inputs, _native
from ._errors import ConvergenceWarning, FitWarning, Interrupted, NotConverged, in_python, translated
from ._labels import are_by_name, write_labels
from ._progress import Watch, n_chains
from ._result import Fit
from ._source import Source, quality_files

PathLike = str | os.PathLike[str]


def fit(
    data: Any = None,
    *,
    # The data.
    metric: str | None = None,
    names: Any = None,
    labels: Any = None,
    format: str | None = None,
    value: str | int | None = None,
    no_names: bool = False,
    weight: str | None = None,
    error: str | None = None,
    weights: Any = None,
    errors: Any = None,
    known_errors: Literal["add", "replace"] | None = None,
    # Titres.
    titers: bool = False,
    reading: Literal["auto", "exact", "interval"] | None = None,
    potencies: Literal["fixed", "estimated", "hierarchical"] | None = None,
    avidities: Literal["fixed", "estimated", "hierarchical"] | None = None,
    drift: bool = False,
    # The model.
    dims: int | None = None,
    couplings: str | None = None,
    order: Literal["shuffle", "given"] | None = None,
    landmarks: Literal["first", "maxmin"] | None = None,
    noise: str | None = None,
    nu: float | None = None,
    storage: Literal["f64", "f32"] | None = None,
    priors: Literal["weak", "paper"] | None = None,
    prior_scale: float | None = None,
    learn_scale: bool = False,
    shrinkage: Literal["none", "half-cauchy"] | None = None,
    noise_shape: float | None = None,
    noise_rate: float | None = None,
    sigma: float | None = None,
    # A tree.
    tree: PathLike | None = None,
    tree_index: int | None = None,
    prune: bool = False,
    root_sample_size: float | None = None,
    branch_scaling: Literal["total-length", "none"] | None = None,
    trait_precision_update: Literal["collapsed", "gibbs"] | None = None,
    # The sampler.
    sampler: str | None = None,
    leapfrog_steps: int | None = None,
    jitter: float | None = None,
    target_acceptance: float | None = None,
    min_depth: int | None = None,
    max_depth: int | None = None,
    no_mode_jumps: bool = False,
    group_moves: bool = False,
    paper_adaptation: bool = False,
    arithmetic: str | None = None,
    # The draws.
    chains: int | None = None,
    chain: int | None = None,
    warmup: int | None = None,
    draws: int | None = None,
    thin: int | None = None,
    start: str | None = None,
    keep: str | None = None,
    raw_draws: bool = False,
    until_ess: float | None = None,
    max_draws: int | None = None,
    seed: int | None = None,
    # The run.
    threads: int | None = None,
    time: float | str | None = None,
    out: PathLike | None = None,
    resume: bool = False,
    overwrite: bool = False,
    config: PathLike | None = None,
    checkpoint_every: float | None = None,
    no_report: bool = False,
    force: bool = False,
    other_instructions: bool = False,
    progress: bool | None | Callable[[Any], None] = None,
    if_not_converged: Literal["warn", "raise", "ignore"] = "warn",
) -> Fit:
    """Fit a map to dissimilarities: draws from its posterior, with a verdict on whether to trust them.

    Settings have the names of the flags of ``sbmds fit``, with underscores, and its defaults; the same seed gives the same bits
    as the command line. The interpreter is free while the fit works (threads of yours go on), and Ctrl-C stops it.

    Parameters
    ----------
    data : array, table, sparse matrix, list of pairs or path
        A square array (NaN: missing), a condensed vector (``scipy.spatial.distance.pdist``), a square table of pandas or polars
        (names from it), three columns (object, object, value), a SciPy sparse matrix (what is stored is measured), a list of
        ``(name, name, value)``, a path in any format that the command line reads, or, with `metric`, features: a row per object.
        Arrays of float64 and float32 in C order are not copied; do not change them while the fit works.
    metric : str, optional
        How features are compared: euclidean, sqeuclidean, manhattan, cosine, correlation, braycurtis, jaccard, hamming or
        haversine. Only the pairs that are used get computed.
    names : sequence of str or path, optional
        Names of the objects, in the order of `data`.
    labels : table, mapping, sequence or path, optional
        What else is known of the objects, for plots and the report: a table by name, ``{name: label}``, or one label per object.
    dims : int, default 2
        Dimensions of the map.
    couplings : str, default "auto"
        Pairs that enter the likelihood: auto, full, band:B, landmark:L, dispersed:B, anchored:B or graph:FILE.
    noise : str, default "truncated-normal"
        How dissimilarities scatter about distances: truncated-normal, normal, truncated-student-t, student-t (with `nu` degrees of
        freedom, learned if not given) or log-normal.
    weights, errors : matrix, table, list of pairs or path, optional
        A weight of every measured pair, which multiplies its log density; the known standard error of every pair, which adds to
        sigma or replaces it (`known_errors`). `weight` and `error` name columns of a table of pairs that hold them.
    titers : bool
        The data are titres of viruses against sera: a table (rows viruses, columns sera) or a path; `reading`, `potencies`,
        `avidities` and `drift` say how they are modelled.
    tree : path or str, optional
        Phylogeny whose tips are the objects: a file, or Newick text (it ends with ``;``).
    chains, warmup, draws : int, default 4, 1000 and 1000
        Chains, iterations of each that adapt and are thrown away, and draws of each after that.
    seed : int, default 1
        Seed of everything random.
    threads : int, optional
        Threads to use, by default all cores; the draws do not depend on it.
    time : float or str, optional
        Stop after so many seconds (or "10m", "1.5h") with the draws made by then.
    out : path, optional
        Directory of the run: the same as the command line makes, bit for bit; without it everything stays in memory.
    resume, overwrite : bool
        Go on with the run in `out`, or replace it.
    progress : bool or callable, optional
        Show progress: by default on terminals and in notebooks. A function gets the list of the chains' progress.
    if_not_converged : {"warn", "raise", "ignore"}
        What to do if the verdict on the chains is bad: a :class:`ConvergenceWarning`, :class:`NotConverged`, or nothing.
    format, value, no_names, order, landmarks, storage, priors, prior_scale, learn_scale, shrinkage, noise_shape, noise_rate, \
sigma : optional
        As ``--format`` to ``--sigma`` of the command line: how files are read, the order of coupling, the priors.
    tree_index, prune, root_sample_size, branch_scaling, trait_precision_update : optional
        As the flags of the tree.
    sampler, leapfrog_steps, jitter, target_acceptance, min_depth, max_depth, no_mode_jumps, group_moves, paper_adaptation, \
arithmetic : optional
        As the flags of the sampler.
    chain, thin, start, keep, raw_draws, until_ess, max_draws : optional
        As the flags of the draws.
    config, checkpoint_every, no_report, force, other_instructions : optional
        As the flags of the run. ``sbmds fit --help`` says what each of them is.

    Returns
    -------
    Fit
        Verdict, map, draws and what can be asked of them.

    Raises
    ------
    ValueError, FileNotFoundError
        Data or settings cannot be used: the message says what is wrong, where, and what to do.
    Interrupted
        Ctrl-C; a KeyboardInterrupt whose ``fit`` holds the draws made so far.

    Examples
    --------
    >>> import sbmds
    >>> data = sbmds.simulate(objects=10, sd=0.1, seed=3)
    >>> fit = sbmds.fit(data.distances, names=list("abcdefghij"), chains=2, draws=1500, seed=1)
    >>> fit.converged
    True
    >>> sorted(fit.neighbors("a", k=3).columns)
    ['distance', 'high', 'low', 'probability']
    """
    asked = {name: value for name, value in locals().items() if name not in NO_FLAGS}
    _check(data, resume, out, if_not_converged)
    with tempfile.TemporaryDirectory(prefix="sbmds-") as scratch:
        beside = _beside(out, resume or overwrite, Path(scratch))
        has_more = titers or any(column is not None for column in (value, weight, error))
        given = None if data is None else _inputs.read(data, metric, names, has_more)
        source = None if given is None else Source(given.absolute(), metric, noise, weights, errors)
        if given is not None:
            if out is None and given.needs_file(noise, weights, errors):
                given = given.as_file(Path(scratch) / "data")
            if out is not None or given.kind == "path":
                given = given.with_names_file(Path(f"{beside}-names.txt"), resume)
        files = _tree_file(tree, beside) | quality_files(weights, errors, given, beside)
        words = ["sbmds", "fit", *_input_words(given, metric, resume), *_words({**asked, **files})]
        if labels is not None and (out is not None or _inputs.is_path(labels)):
            words.append(f"--labels={_label_file(labels, given, words, beside, Path(scratch))}")
        watch = Watch(progress, n_chains(chains, chain, config, out if resume else None))
        try:
            end, native = _run(given, metric, words, out, resume, watch)
        except (ValueError, OSError, RuntimeError, MemoryError, KeyError) as error_:
            raise translated(error_) from None
        finally:
            watch.end()
    return _concluded(end, native, source if out is None else None, labels, out, watch, if_not_converged)


#: Arguments that are no flags, or become flags in a way of their own.
NO_FLAGS = {"data", "metric", "names", "labels", "tree", "weights", "errors", "progress", "if_not_converged"}


def _check(data: Any, resume: bool, out: Any, if_not_converged: str) -> None:
    if data is None and not resume:
        raise TypeError("fit() needs data. Remedy: give dissimilarities, features or a path")
    if resume and out is None:
        raise ValueError("resume: which run? Remedy: give its directory with out")
    if if_not_converged not in ("warn", "raise", "ignore"):
        raise ValueError(f"if_not_converged={if_not_converged!r}: give 'warn', 'raise' or 'ignore'")


def _run(
    given: _inputs.Input | None, metric: str | None, words: list[str], out: Any, resume: bool, watch: Watch
) -> tuple[str, _native.Fitted | None]:
    """A fit in memory, or one in a directory, which keeps a copy of data that are in no file."""
    if out is None:
        return _native.fit(words, None if given is None else given.native(metric), None, True, watch)
    content, format = (None, None) if given is None else given.content()
    if content is not None and resume:
        _check_copy(content, Path(out) / "input")
        content = None
    elif format is not None and not any(word.startswith("--format=") for word in words):
        words = [*words, "--format", format]
    return _native.fit(words, None, content, False, watch)


def _check_copy(content: Any, copy: Path) -> None:
    """A run goes on with the data it has; others are refused."""
    if not copy.is_file() and (copy.parent / "config.toml").is_file():
        raise ValueError(f"data: the run in {copy.parent} was started from a file. Remedy: leave data out, or give the path of that file")
    if copy.is_file() and copy.read_bytes() != content.tobytes():
        raise ValueError(f"data: they are not those that the run was started with ({copy}). Remedy: leave them out, or start anew")


def _beside(out: Any, may_exist: bool, scratch: Path) -> Path:
    """Where files beside the run are written: not beside a run that is in the way, which keeps its own."""
    if out is None or (not may_exist and (Path(out) / "config.toml").exists()):
        return scratch / "run"
    return Path(os.path.abspath(out))


def _input_words(given: _inputs.Input | None, metric: str | None, resume: bool) -> list[str]:
    if given is None:
        return []
    words = [] if metric is None else ["--features", "--metric", metric]
    if given.names_file is not None:
        words += ["--names", given.names_file]
    if given.kind == "path":
        return [str(given.path), *words, *(() if given.format is None else ("--format", given.format))]
    return ([] if resume else ["-"]) + words


def _tree_file(tree: Any, beside: Path) -> dict[str, str]:
    """The tree as a file: text is written beside the run."""
    if tree is None:
        return {}
    text: str = os.fspath(tree)
    if not text.rstrip().endswith(";"):
        return {"tree": text}
    path = Path(f"{beside}-tree.nwk")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return {"tree": str(path)}


def _label_file(labels: Any, given: _inputs.Input | None, words: list[str], beside: Path, scratch: Path) -> str:
    """Labels as a file, for the report and for whoever opens the run: what is no path is written beside the run."""
    if _inputs.is_path(labels):
        return str(os.fspath(labels))
    path = Path(f"{beside}-labels.csv")
    if are_by_name(labels):
        return str(write_labels(labels, None, path))
    if given is None:
        raise ValueError("labels: which object does each belong to? Remedy: give {name: label}, a table by name, or the data too")
    return str(write_labels(labels, _names(given, words, scratch), path))


def _names(given: _inputs.Input, words: list[str], scratch: Path) -> list[str]:
    """The objects in their order; files and tables with more than numbers are read to know."""
    if given.names is not None or given.kind not in ("path", "table"):
        return given.names or [str(number) for number in range(given.n_objects)]
    if given.kind == "table":
        words = [str(given.as_file(scratch / "named").path) if word == "-" else word for word in words]
    try:
        return _native.names_of(words)
    except (ValueError, OSError) as error:
        raise translated(error) from None


def _words(settings: dict[str, Any]) -> list[str]:
    """Settings as the words of a command line."""
    words: list[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return words


def _concluded(
    end: str, native: _native.Fitted | None, source: Source | None, labels: Any, out: Any, watch: Watch, if_not_converged: str
) -> Fit:
    for warning in watch.warnings:
        warnings.warn(warning, FitWarning, stacklevel=3)
    result = None if native is None else Fit(native, labels=labels, notes=watch.notes, source=source)
    if end == "interrupted":
        raise Interrupted(_what_is_kept(result, out), result)
    if result is None:
        raise RuntimeError(
            "the time is up before every chain had ended its warm-up, so that there is no map yet; everything is saved. "
            f"Remedy: go on with sbmds.fit(out={os.fspath(out)!r}, resume=True)"
        )
    if not result.converged and if_not_converged != "ignore":
        if if_not_converged == "raise":
            raise NotConverged(result.verdict, result)
        warnings.warn(result.verdict, ConvergenceWarning, stacklevel=3)
    return result


def _what_is_kept(result: Fit | None, out: Any) -> str:
    if out is not None:
        return f"interrupted; everything is saved. Go on with sbmds.fit(out={os.fspath(out)!r}, resume=True)"
    if result is None:
        return "interrupted before every chain had made a draw"
    return f"interrupted after {result.n_draws} draws of each chain, which are kept in the exception's `fit`"


def open(run: PathLike, mode: int = 1) -> Fit:
    """Open a finished run, made by the command line or with ``out=``.

    Parameters
    ----------
    run : path
        Its directory.
    mode : int, default 1
        Which of the modes that its chains are in; the first is the one shown by default.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import sbmds, tempfile
    >>> data = sbmds.simulate(objects=8, seed=1)
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     fit = sbmds.fit(data.distances, chains=2, draws=1500, out=scratch + "/run")
    ...     sbmds.open(scratch + "/run").verdict == fit.verdict
    True
    """
    try:
        return Fit(_native.open(os.fspath(run), mode))
    except (ValueError, OSError, RuntimeError) as error:
        raise type(error)(in_python(str(error))) from None

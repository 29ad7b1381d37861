"""Figures of a fit with Matplotlib: axes in, axes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._errors import needed
from ._inputs import is_missing

if TYPE_CHECKING:
    from ._result import Fit

Array = NDArray[np.float64]

#: Colours that people of all kinds of sight tell apart (Okabe and Ito 2008).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#555555"]
#: Marks of further groups in the same colours.
MARKERS = ["o", "s", "^", "D", "v"]
#: What is drawn of an object without a label.
UNKNOWN = "#BBBBBB"
#: Entries of a legend that stands in the map; more stand beside it, in columns of so many.
MOST_WITHIN, MOST_PER_COLUMN = 8, 20
#: Maps with more objects than this show no names unless asked, nor do those of numbered objects.
MOST_NAMES = 60
#: Objects beyond this part of the width have their names on the left.
NAMED_ON_THE_LEFT = 0.8
#: Maps with more objects show no ellipses unless asked.
MOST_ELLIPSES = 2000
#: Pairs in Shepard's plot as single points; more become shades.
MOST_POINTS = 5000
#: Bins of a rank plot.
RANK_BINS = 20


def plot(fit: Fit, kind: str, ax: Any = None, **options: Any) -> Any:
    """The figure of that kind."""
    kinds: dict[str, Callable[..., Any]] = {
        "map": _map, "shepard": _shepard, "trace": _trace, "rank": _rank, "density": _density, "ess": _ess,
    }  # fmt: skip
    if kind not in kinds:
        raise ValueError(f"kind={kind!r}: there is no such figure. Remedy: give one of {', '.join(kinds)}")
    if ax is None:
        pyplot = needed("matplotlib.pyplot", "plot()")
        _, ax = pyplot.subplots(figsize=(6.0, 5.5 if kind in ("map", "shepard") else 3.6), layout="constrained")
    kinds[kind](fit, ax, **options)
    return ax


def _map(
    fit: Fit, ax: Any, names: bool | None = None, ellipses: bool | None = None, labels: Any = None, axes: tuple[int, int] = (0, 1)
) -> None:
    if fit.dims == 1:
        return _line(fit, ax, names)
    across, up = axes
    x, y = fit.map[:, across], fit.map[:, up]
    colouring = _colours(fit, labels)
    shows_ellipses = ellipses if ellipses is not None else fit.n_objects <= MOST_ELLIPSES
    if shows_ellipses:
        _draw_ellipses(ax, x, y, fit.covariance[:, [across, up]][:, :, [across, up]], colouring.colours)
    size = float(np.clip(900.0 / fit.n_objects, 3.0, 22.0))
    for marker in dict.fromkeys(colouring.markers):
        chosen = [k for k, own in enumerate(colouring.markers) if own == marker]
        colours = [colouring.colours[k] for k in chosen]
        ax.scatter(x[chosen], y[chosen], s=size, c=colours, marker=marker, linewidths=0.0, zorder=3)
    if names if names is not None else _has_names_to_show(fit):
        # Beside their objects, on the side where there is room.
        right = np.quantile([x.min(), x.max()], NAMED_ON_THE_LEFT)
        for name, here, there in zip(fit.names, x, y):
            side, shift = ("right", -4) if here > right else ("left", 4)
            style = {"ha": side, "fontsize": 8, "color": "#333333", "zorder": 4}
            ax.annotate(name, (here, there), xytext=(shift, 3), textcoords="offset points", **style)
    _legend(ax, colouring)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(f"dimension {across + 1}")
    ax.set_ylabel(f"dimension {up + 1}")
    title = fit.what_is_shown + (", 95% ellipses" if shows_ellipses else "")
    ax.set_title(title, fontsize=10, loc="left", color="#555555")
    _tidy(ax)


def _has_names_to_show(fit: Fit) -> bool:
    """Whether there are few names, which are more than the numbers of the objects."""
    return fit.n_objects <= MOST_NAMES and fit.names != [str(k) for k in range(fit.n_objects)]


def _line(fit: Fit, ax: Any, names: bool | None) -> None:
    """A map of one dimension: objects by their location, with 95% intervals."""
    order = np.argsort(fit.map[:, 0])
    rows = np.arange(fit.n_objects)
    ax.errorbar(fit.map[order, 0], rows, xerr=1.959964 * fit.sd[order, 0], fmt="o", ms=4, lw=1.2, color=COLOURS[0])
    if names if names is not None else fit.n_objects <= MOST_NAMES:
        ax.set_yticks(rows, [fit.names[k] for k in order], fontsize=8)
    ax.set_xlabel("dimension 1")
    ax.set_title(f"{fit.what_is_shown}, 95% intervals", fontsize=10, loc="left", color="#555555")
    _tidy(ax)


def _draw_ellipses(ax: Any, x: Array, y: Array, covariance: Array, colours: Any) -> None:
    from matplotlib.collections import EllipseCollection

    values, vectors = np.linalg.eigh(covariance)
    # 95% of a bivariate normal lie within sqrt(-2 ln 0.05) standard deviations.
    axes = 2.0 * np.sqrt(-2.0 * np.log(0.05) * np.maximum(values, 0.0))
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    ellipses = EllipseCollection(
        axes[:, 1], axes[:, 0], angles, units="xy", offsets=np.column_stack([x, y]), offset_transform=ax.transData,
        facecolors=colours, edgecolors=colours, linewidths=0.6, alpha=0.22, zorder=2,
    )  # fmt: skip
    ax.add_collection(ellipses)
    reach = axes[:, 1] / 2.0
    ax.update_datalim(np.column_stack([x - reach, y - reach]))
    ax.update_datalim(np.column_stack([x + reach, y + reach]))


class _Colouring(NamedTuple):
    """How the objects are drawn, and what that means."""

    colours: Sequence[Any]
    markers: list[str]
    #: Name, colour and marker of every group.
    groups: Sequence[tuple[str, str, str]] = ()
    #: Where numbers are shown as shades: the least, the largest, and what they are.
    scale: tuple[float, float, str] | None = None


def _colours(fit: Fit, labels: Any) -> _Colouring:
    """A colour and a marker for every object, and what they mean."""
    known, title = fit.labels, ""
    if isinstance(labels, str):
        if labels not in known:
            raise ValueError(f"labels={labels!r}: there is no such column. Remedy: give one of {', '.join(known) or 'none'}")
        title, labels = labels, known[labels]
    elif labels is None and known:
        title, labels = next(iter(known.items()))
    if labels is None:
        return _Colouring([COLOURS[0]] * fit.n_objects, ["o"] * fit.n_objects)
    labels = [None if is_missing(label) else label for label in labels]
    if len(labels) != fit.n_objects:
        raise ValueError(f"labels: {len(labels)} are given for {fit.n_objects} objects. Remedy: give one per object")
    levels = sorted({label for label in labels if label is not None}, key=_level_order)
    if len(levels) > len(COLOURS) and all(isinstance(level, (int, float, np.number)) for level in levels):
        return _shaded(labels, title)
    looks = {level: _look(k, len(levels)) for k, level in enumerate(levels)}
    chosen = [looks.get(label, (UNKNOWN, "o")) for label in labels]
    groups = [(str(level), *look) for level, look in looks.items()]
    are_told_apart = len(levels) <= len(COLOURS) * len(MARKERS)
    return _Colouring([colour for colour, _ in chosen], [marker for _, marker in chosen], groups if are_told_apart else ())


def _level_order(level: Any) -> tuple[bool, Any]:
    """Numbers by size, then words, with numbers in them by size too: group 2 before group 10."""
    if isinstance(level, (int, float, np.number)):
        return (False, level)
    return (True, [(part.isdecimal(), int(part) if part.isdecimal() else part) for part in re.split(r"(\d+)", str(level))])


def _look(level: int, n_levels: int) -> tuple[str, str]:
    """Colour and marker of a group; groups that are too many to tell apart get shades in their order."""
    if n_levels <= len(COLOURS) * len(MARKERS):
        return COLOURS[level % len(COLOURS)], MARKERS[level // len(COLOURS)]
    matplotlib = needed("matplotlib", "plot()")
    shade = matplotlib.colormaps["turbo"](level / (n_levels - 1))
    return str(matplotlib.colors.to_hex(shade)), "o"


def _shaded(labels: list[Any], title: str) -> _Colouring:
    """Numbers as shades."""
    matplotlib = needed("matplotlib", "plot()")
    values = np.array([np.nan if label is None else float(label) for label in labels])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    shades = matplotlib.colormaps["viridis"]((values - low) / (high - low or 1.0))
    shades[np.isnan(values)] = matplotlib.colors.to_rgba(UNKNOWN)
    return _Colouring(shades, ["o"] * len(labels), scale=(low, high, title))


def _legend(ax: Any, colouring: _Colouring) -> None:
    if colouring.scale is not None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        low, high, title = colouring.scale
        bar = ax.figure.colorbar(ScalarMappable(Normalize(low, high), "viridis"), ax=ax, shrink=0.6, label=title)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8)
    for name, colour, marker in colouring.groups:
        ax.scatter([], [], s=22, color=colour, marker=marker, linewidths=0.0, label=name)
    n_groups = len(colouring.groups)
    if n_groups > MOST_WITHIN:
        n_columns = -(-n_groups // MOST_PER_COLUMN)
        ax.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=n_columns)
    elif n_groups > 0:
        ax.legend(frameon=False, fontsize=8, loc="best")


def shepard_data(fit: Fit) -> tuple[Array, Array]:
    """Dissimilarities of coupled pairs, and their distances in the map."""
    pairs = np.asarray(fit._parts["coupled"])
    a, b = pairs[:, 0].astype(int), pairs[:, 1].astype(int)
    return pairs[:, 2], np.asarray(np.linalg.norm(fit.map[a] - fit.map[b], axis=1))


def _shepard(fit: Fit, ax: Any) -> None:
    observed, fitted = shepard_data(fit)
    if len(observed) <= MOST_POINTS:
        # Few points are drawn larger: where the map fits well they lie on the line.
        size, alpha = (18, 0.7) if len(observed) <= 200 else (6, 0.35)
        ax.scatter(observed, fitted, s=size, color=COLOURS[0], alpha=alpha, linewidths=0, zorder=3)
    else:
        ax.hexbin(observed, fitted, gridsize=70, mincnt=1, bins="log", cmap="Blues", linewidths=0.1)
    start = min(float(observed.min(initial=0.0)), 0.0) * 1.03
    end = float(max(observed.max(initial=0.0), fitted.max(initial=0.0))) * 1.03
    line = np.linspace(0.0, end, 100)
    low, high = two_sigma(fit, line)
    ax.plot([0.0, end], [0.0, end], color="#333333", lw=1.0)
    # About the distance on the map, which stands upwards, dissimilarities scatter sideways.
    ax.fill_betweenx(line, low, high, color="#333333", alpha=0.08, lw=0)
    ax.set(xlim=(start, end), ylim=(0, end), xlabel="observed dissimilarity", ylabel="distance in the map", aspect="equal")
    ax.set_title("coupled pairs; shaded: two sigma", fontsize=10, loc="left", color="#555555")
    _tidy(ax)


def two_sigma(fit: Fit, distance: Array) -> tuple[Array, Array]:
    """Dissimilarities two sigma below and above distances: of their logarithms, if the noise is log-normal."""
    sigma = float(fit.sigma.mean())
    if fit.settings.get("measurement", {}).get("family") == "log-normal":
        return distance * np.exp(-2 * sigma), distance * np.exp(2 * sigma)
    return distance - 2 * sigma, distance + 2 * sigma


def _quantity(fit: Fit, quantity: str) -> Array:
    values = fit.variable(quantity)
    if values.ndim != 2:
        raise ValueError(f"quantity={quantity!r} has more than one number in a draw. Remedy: give a scalar, such as sigma")
    return values


def _trace(fit: Fit, ax: Any, quantity: str = "sigma") -> None:
    for chain, values in enumerate(_quantity(fit, quantity)):
        ax.plot(values, lw=0.6, alpha=0.8, color=COLOURS[chain % len(COLOURS)], label=f"chain {chain + 1}")
    ax.set(xlabel="draw", ylabel=quantity)
    ax.margins(x=0)
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="upper right")
    _tidy(ax)


def rank_counts(draws: Array, n_bins: int = RANK_BINS) -> NDArray[np.int64]:
    """How many draws of each chain have a rank, among all draws, in each of equal bins: (chain, bin)."""
    ranks = np.empty(draws.size, dtype=np.int64)
    ranks[np.argsort(draws, axis=None, kind="stable")] = np.arange(draws.size)
    bins = ranks.reshape(draws.shape) * n_bins // draws.size
    return np.stack([np.bincount(chain, minlength=n_bins) for chain in bins])


def _rank(fit: Fit, ax: Any, quantity: str = "sigma") -> None:
    counts = rank_counts(_quantity(fit, quantity))
    expected = fit.n_draws / RANK_BINS
    edges = np.linspace(0.0, 1.0, RANK_BINS + 1)
    for chain, row in enumerate(counts):
        ax.stairs(row / expected, edges, lw=1.3, color=COLOURS[chain % len(COLOURS)], label=f"chain {chain + 1}")
    ax.axhline(1.0, color="#333333", lw=0.8, ls="--")
    ax.set(xlabel=f"rank of {quantity} among all draws", ylabel="draws / expected", xlim=(0, 1), ylim=(0, None))
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="lower right")
    _tidy(ax)


def _density(fit: Fit, ax: Any, quantity: str = "sigma") -> None:
    for chain, values in enumerate(_quantity(fit, quantity)):
        grid, density = kernel_density(values)
        ax.plot(grid, density, lw=1.2, color=COLOURS[chain % len(COLOURS)], label=f"chain {chain + 1}")
    ax.set(xlabel=quantity, ylabel="density", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    _tidy(ax)


def kernel_density(values: Array, n_points: int = 200) -> tuple[Array, Array]:
    """A Gaussian kernel density with Silverman's bandwidth, on a grid."""
    spread = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349
    sd = values.std(ddof=1)
    width = 0.9 * (min(sd, spread) or sd or 1.0) * len(values) ** -0.2
    grid = np.linspace(values.min() - 3 * width, values.max() + 3 * width, n_points)
    kernels = np.exp(-0.5 * ((grid[:, None] - values[None, :]) / width) ** 2)
    return grid, kernels.sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))


def _ess(fit: Fit, ax: Any) -> None:
    found = fit.diagnostics()
    bulk, tail = np.asarray(found["ess_bulk"]), np.asarray(found["ess_tail"])
    order = np.argsort(bulk)
    ax.plot(bulk[order], ".", ms=4, color=COLOURS[0], label="bulk")
    ax.plot(tail[order], ".", ms=4, color=COLOURS[1], label="tail")
    # Vehtari et al. 2021: enough for stable estimates of R-hat and of the sizes themselves.
    ax.axhline(100.0 * fit.n_chains, color="#333333", lw=0.8, ls="--")
    ax.set(xlabel="everything monitored, in order of its size", ylabel="effective sample size", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    _tidy(ax)


def _tidy(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)

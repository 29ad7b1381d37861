"""A fit in a notebook: verdict and map."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

from ._errors import found

if TYPE_CHECKING:
    from ._result import Fit

GOOD, BAD = "#2b7a3d", "#b3471d"


def page(fit: Fit) -> str:
    """A few lines of HTML with the map, if Matplotlib is there."""
    colour = GOOD if fit.converged else BAD
    lines = [
        f"<b>sbmds</b>: {fit.n_objects} objects in {fit.dims} dimensions, {fit.n_chains} chains &times; {fit.n_draws} draws",
        f"<span style='color:{colour}'>{html.escape(fit.verdict)}</span>",
    ]
    if fit.map_verdict is not None:
        lines.append(html.escape(fit.map_verdict))
    lines += [f"<span style='color:{BAD}'>{html.escape(warning)}</span>" for warning in fit.warnings]
    body = "".join(f"<div style='max-width:48em'>{line}</div>" for line in lines)
    return f"<div>{body}{_picture(fit)}</div>"


def _picture(fit: Fit) -> str:
    if found("matplotlib") is None or fit.dims < 1:
        return ""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 5.0), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    fit.plot("map", ax=figure.add_subplot())
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return f"<img alt='the map' src='data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}'/>"

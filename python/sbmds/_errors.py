"""Exceptions and warnings, and messages of the program in the words of Python."""

from __future__ import annotations

import importlib
import re
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._result import Fit


class FitWarning(UserWarning):
    """What a reader should know before trusting the numbers of a fit."""


class ConvergenceWarning(FitWarning):
    """The chains of a fit have not converged: its verdict is bad."""


class NotConverged(RuntimeError):
    """The chains have not converged; raised only with ``if_not_converged="raise"``.

    Attributes
    ----------
    fit : Fit
        What the draws say all the same.
    """

    def __init__(self, verdict: str, fit: Fit) -> None:
        super().__init__(verdict)
        self.fit = fit

    def __reduce__(self) -> tuple[Any, ...]:
        return (NotConverged, (str(self), self.fit))


class Interrupted(KeyboardInterrupt):
    """A fit was interrupted (Ctrl-C).

    Attributes
    ----------
    fit : Fit or None
        The fit with the draws made so far; None if some chain had none yet, or the run is in a directory and can be resumed.
    """

    def __init__(self, message: str, fit: Fit | None) -> None:
        super().__init__(message)
        self.fit = fit

    def __reduce__(self) -> tuple[Any, ...]:
        return (Interrupted, (str(self), self.fit))


#: Flags without a value.
SWITCHES = {"resume", "overwrite", "force", "features", "no_names", "learn_scale", "prune", "raw_draws", "no_mode_jumps",
            "paper_adaptation", "no_report", "other_instructions", "standardize", "titers", "drift", "group_moves"}


def in_python(text: str) -> str:
    """A message with settings spelled as in Python; commands, which stand in backticks, stay."""

    def spelled(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        return f"{name}=True" if name in SWITCHES else name

    def quoted(part: str) -> str:
        return f"`{part[1:-1]}=True`" if part[1:-1] in SWITCHES else part

    parts = re.split(r"(`[^`]*`)", text)
    return "".join(quoted(part) if part.startswith("`") else re.sub(r"--([a-z][a-z0-9-]*)", spelled, part) for part in parts)


def usage_error(text: str) -> Exception | None:
    """The exception for a message of the parser of settings; None if it is another message."""
    text = text.strip()
    if not text.startswith("error: "):
        return None
    body = text.removeprefix("error: ").split("\n\nUsage")[0].split("\n\nFor more")[0]
    if unknown := re.match(r"unexpected argument '--([a-z0-9-]+)", body):
        similar = re.search(r"similar argument exists: '--([a-z0-9-]+)", body)
        hint = f". Remedy: did you mean {similar[1].replace('-', '_')!r}?" if similar else ""
        return TypeError(f"fit() got an unexpected keyword argument {unknown[1].replace('-', '_')!r}{hint}")
    if bad := re.match(r"invalid value '(.*?)' for '--([a-z0-9-]+)[^']*'(?:: (.*))?", body, re.DOTALL):
        value, name, why = bad[1], bad[2].replace("-", "_"), " ".join((bad[3] or "").split())
        choices = re.search(r"\[possible values: ([^\]]*)\]", body)
        why = why or (f"give one of {choices[1]}" if choices else "it cannot be used")
        return ValueError(in_python(f"{name}={value!r}: {why}"))
    return ValueError(in_python(" ".join(body.split())))


def translated(error: Exception) -> Exception:
    """An error of the native part, in the words of Python."""
    message = str(error.args[0]) if error.args else str(error)
    return usage_error(message) or type(error)(in_python(message))


def needed(module: str, what: str) -> ModuleType:
    """Imports an optional package, or says who needs it and how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = {"sklearn": "scikit-learn"}.get(module.split(".")[0], module.split(".")[0])
        raise ImportError(f"{what} needs {package}. Remedy: pip install {package}", name=module) from error


def found(module: str) -> ModuleType | None:
    """An optional package, if it is there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None

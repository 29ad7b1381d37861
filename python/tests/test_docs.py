"""Every public function and method has a docstring with an example; doctests run them."""

import inspect

import pytest

import sbmds


def callables():
    """Public functions, and public methods of public classes that people call."""
    found = {name: getattr(sbmds, name) for name in sbmds.__all__ if inspect.isfunction(getattr(sbmds, name))}
    classes = [getattr(sbmds, name) for name in sbmds.__all__ if inspect.isclass(getattr(sbmds, name))]
    try:
        from sbmds.sklearn import BayesianMDS
    except ImportError:
        pass
    else:
        classes.append(BayesianMDS)
    for of in classes:
        if not issubclass(of, (BaseException, tuple)):
            own = {name: method for name, method in vars(of).items() if inspect.isfunction(method) and not name.startswith("_")}
            found |= {f"{of.__name__}.{name}": method for name, method in own.items()}
    return found


@pytest.mark.parametrize("name", sorted(callables()))
def test_has_an_example(name):
    text = inspect.getdoc(callables()[name]) or ""
    assert "Examples\n--------\n>>> " in text, name


def test_all_are_found():
    assert {"fit", "open", "Fit.neighbors", "Fit.plot", "Clusters.together", "BayesianMDS.transform"} <= set(callables())


def test_properties_and_classes_are_described():
    for name in sbmds.__all__:
        what = getattr(sbmds, name)
        if inspect.isclass(what):
            assert inspect.getdoc(what)
            for title, member in vars(what).items():
                assert not isinstance(member, property) or inspect.getdoc(member), f"{name}.{title}"

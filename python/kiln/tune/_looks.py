"""Tables and pictures of searches."""
from kiln._html import duration, escape, table
from kiln.errors import UnsupportedError

FASTEST_SHOWN = 10


def pyplot():
    try:
        from matplotlib import pyplot as found
    except ImportError:
        raise UnsupportedError(
            "plots need matplotlib, which is not installed (Debian: python3-matplotlib)"
        ) from None
    return found


def plot(values, label, grows, axes=None):
    """Evaluations in their order, failed ones as crosses at the edge, and the best so far."""
    if axes is None:
        axes = pyplot().subplots()[1]
    numbers = [(at, value) for at, value in enumerate(values, 1) if value is not None]
    failed = [at for at, value in enumerate(values, 1) if value is None]
    best, line = None, []
    for at, value in numbers:
        best = value if best is None else (max if grows else min)(best, value)
        line.append((at, best))
    if numbers:
        axes.plot(*zip(*numbers), "o", color="#2a78b8", markersize=3, label="evaluations")
        axes.step(*zip(*line), where="post", color="#d98a2b", label="best so far")
        if min(value for _, value in numbers) > 0:
            axes.set_yscale("log")
    if failed:
        edge = max((value for _, value in numbers), default=1)
        axes.plot(failed, [edge] * len(failed), "x", color="#8a8a8a", label="failed")
    axes.set_xlabel("evaluation")
    axes.set_ylabel(label)
    if numbers or failed:
        axes.legend()
    return axes


def _value(value):
    return f"{value:.4g}" if isinstance(value, float) else value


def _fastest(rows, names, head, show):
    """The best rows as a table, and a line about the others."""
    shown = rows[:FASTEST_SHOWN]
    cells = [[_value(values.get(name)) for name in names] + [show(value)] for values, value in shown]
    more = f"<p>and {len(rows) - len(shown)} more</p>" if len(rows) > len(shown) else ""
    return table(cells, [*names, head]) + more


def _failures(reasons):
    if not reasons:
        return ""
    counts = {}
    for kind, message in reasons:
        count, first = counts.get(kind, (0, message))
        counts[kind] = (count + 1, first)
    return table(
        [(kind, count, message) for kind, (count, message) in counts.items()],
        ("failure", "configurations", "the first one's reason"),
    )


def results_table(results):
    """Of kiln.tune_kernel: the best configurations, and why others failed."""
    rows = list(results.rows())
    valid = sorted(
        ((values, value) for values, value, _ in rows if value is not None),
        key=lambda row: row[1],
        reverse=results.grows,
    )
    failed = [(error.failure, error.reason) for _, _, error in rows if error is not None]
    return (
        f"<p>{len(rows)} configurations, {len(failed)} failed</p>"
        + _fastest(valid, results.tune_params, results.objective, _value)
        + _failures(failed)
    )


def search_table(result):
    """Of kiln.tune.kernel and spec."""
    valid = sorted(
        ((one["values"], one["seconds"]) for one in result.configurations if one["failure"] is None),
        key=lambda row: row[1],
    )
    failed = [
        (one["failure"], one["message"]) for one in result.configurations if one["failure"] is not None
    ]
    best = " ".join(f"{name}={value}" for name, value in result.best.items())
    gain = f", {result.reference / result.seconds:.3g} x the reference" if result.reference else ""
    return (
        f"<p><b>{escape(result.label)}</b> on {escape(result.device)}: {escape(best)}, "
        f"{duration(result.seconds * 1e9)}{gain} ({escape(result.decided_by)})</p>"
        + _fastest(valid, list(result.best), "time", lambda seconds: duration(seconds * 1e9))
        + _failures(failed)
    )

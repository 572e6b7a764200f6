"""Finds the fastest tile and work per work-item of a matrix product, and computes with them.

    python3 examples/python/tune_matrix_product.py [N] [EVALUATIONS] [RESULTS.json] [PICTURE.png]

The second run of the same N finds the parameters on record, and searches nothing.
"""
import argparse
import pathlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kiln
from kiln import tune

SOURCE = pathlib.Path(__file__).parents[1] / "kernels" / "multiply.cl"
PARAMETERS = {"TS": [4, 8, 16, 32], "WPT": [1, 2, 4, 8]}


def problem(n: int, a: NDArray[Any], b: NDArray[Any]) -> dict[str, Any]:
    """What is tuned: a grid of tiles of TS x TS, a work-group of TS / WPT by TS work-items for each."""
    return {
        "kernel_name": "multiply",
        "kernel_source": SOURCE,
        "problem_size": (n, n),
        "arguments": [a, b, np.zeros((n, n), np.float32), np.int32(n)],
        "tune_params": {**PARAMETERS, "BX": [4, 8, 16, 32], "BY": [4, 8, 16, 32]},
        "grid_div_x": ["TS"],
        "grid_div_y": ["TS"],
        "block_size_names": ["BX", "BY"],
        "restrictions": ["TS % WPT == 0", "BX == TS // WPT", "BY == TS"],
    }


def main(size: int = 256, evaluations: int = 12, results_file: str = "", picture: str = "") -> None:
    a, b = np.random.default_rng(1).random((2, size, size), np.float32)
    given = problem(size, a, b)
    params = tune.best_on_record(**given)
    if params is None:
        results, env = kiln.tune_kernel(
            **given,
            answer=[None, None, a @ b, None],
            atol=1e-2,
            metrics={"GFLOP/s": lambda one: 2e-6 * size**3 / one["time"]},
            strategy="bayes_opt",
            strategy_options={"max_fevals": evaluations},
        )
        if results_file:
            tune.store_output_file(results_file, results, given["tune_params"])
        if picture:
            results.plot().figure.savefig(picture)
        params = {name: env["best_config"][name] for name in given["tune_params"]}
    else:
        print("on record")
    del given["tune_params"], given["restrictions"]
    c = kiln.run_kernel(**given, params=params)[2]
    difference = float(np.abs(c - a @ b).max())
    print(f"TS={params['TS']} WPT={params['WPT']}, off by {difference:.2g}")


def positive(text: str) -> int:
    """An option's value. argparse names the option where it is none."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"found {value}, expected 1 or more")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("size", metavar="N", type=positive, nargs="?", default=256)
    parser.add_argument("evaluations", metavar="EVALUATIONS", type=positive, nargs="?", default=12)
    parser.add_argument("results_file", metavar="RESULTS.json", nargs="?", default="")
    parser.add_argument("picture", metavar="PICTURE.png", nargs="?", default="")
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))

"""Runs all specification files of examples/specs, and says how long each took and what it wrote.

    python3 examples/python/specs.py [DEVICES]
"""
import pathlib
import sys

import kiln

SPECS = pathlib.Path(__file__).parents[1] / "specs"


def main(devices: str = "all") -> None:
    runtime = kiln.Runtime(devices)
    for file in sorted(SPECS.glob("*.json")):
        result = runtime.run(file)
        outputs = ", ".join(
            f"argument {position} {array.dtype}{list(array.shape)}"
            for position, array in result.outputs.items()
        )
        print(f"{file.stem}: {result.summary.wall_ns / 1e3:.1f} us, {outputs}")


if __name__ == "__main__":
    main(*sys.argv[1:])

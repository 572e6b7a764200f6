"""Runs all specification files of examples/specs, and says how long each took and what it wrote.

    python3 examples/python/specs.py [DEVICES]
"""
import argparse
import pathlib

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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "devices", metavar="DEVICES", nargs="?", default="all", help="as on the command line: cpu, gpu, 0"
    )
    given = parser.parse_args()
    try:
        kiln.Runtime(given.devices).devices
    except (kiln.BadInputError, kiln.NotFoundError) as error:
        parser.error(str(error))
    return given


if __name__ == "__main__":
    main(**vars(arguments()))

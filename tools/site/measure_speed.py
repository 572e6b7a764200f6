#!/usr/bin/python3
"""Measures the bars of the documents' picture of speed, and writes docs/measured/speed.json.

  measure_speed.py --bin build/release/bin        two minutes; `./dev docs --measure` calls it
"""
import argparse
import datetime
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULT = os.path.join(ROOT, "docs/measured/speed.json")
# The bar, what it measures, the rival. Some bars are shares of the rival's time: the smaller, the
# faster.
BARS = (
    ("blas/clblast-sgemm-1024", "SGEMM, n = 1024, on OpenCL", "CLBlast", "times"),
    ("spec/process-pyopencl", "a kernel's whole process", "pyopencl", "times"),
    ("formats/kdb-verify", "verifying a kernel database", "zlib's sums alone", "share"),
    ("formats/start-saxpy", "a start from an archive", "PoCL's own archive", "times"),
    ("store/source-warm", "a warm start of SAXPY", "its source, PoCL's cache warm", "times"),
    ("blas/sgemm-1024", "SGEMM, n = 1024", "OpenBLAS", "times"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    names = [name for name, *_ in BARS]
    load = os.getloadavg()[0]
    run = subprocess.run([os.path.join(options.bin, "kiln-bench"), *names, "--json"], text=True, stdout=subprocess.PIPE)
    figures = {bar["name"]: bar for bar in json.loads(run.stdout)}
    bars = []
    for name, what, rival, unit in BARS:
        figure = figures[name]["figure"]
        if figure is None:
            sys.exit(f"docs: {name} is {figures[name]['verdict']}")
        bars.append({"bar": name, "what": what, "rival": rival, "times": round(1 / figure if unit == "share" else figure, 3)})
    machine = figures[names[0]]["machine"] + (f", busy with other work (load average {load:.0f})" if load >= 0.5 else "")
    result = {"command": "./dev bench " + " ".join(names), "date": datetime.date.today().isoformat(), "machine": machine,
              "bars": sorted(bars, key=lambda bar: -bar["times"])}
    os.makedirs(os.path.dirname(RESULT), exist_ok=True)
    with open(RESULT, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, ensure_ascii=False)
        file.write("\n")
    print(json.dumps(result, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

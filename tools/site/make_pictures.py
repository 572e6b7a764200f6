#!/usr/bin/python3
"""Makes the pictures of the documents from real runs: make_pictures.py --bin build/release/bin --out FOLDER.

The runs have a store and a folder of their own. pictures.json says of each picture what it shows,
for readers who do not see it, and with which command it was made. Bars of speed take too long to be
measured here: docs/measured/speed.json holds them, with the command and the machine
(measure_speed.py writes it).
"""
import argparse
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

import draw_pictures as draw

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = ((620, 350), (340, 330))  # wide and narrow, in CSS pixels
SPEED = os.path.join(ROOT, "docs/measured/speed.json")


class Runs:
    """Commands in a scratch folder, as a reader would type them."""

    def __init__(self, binaries, scratch):
        self.scratch = scratch
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("KILN_")} | {
            "PATH": os.path.abspath(binaries) + ":" + os.environ["PATH"], "HOME": scratch,
            "KILN_STORE": os.path.join(scratch, "store"), "POCL_CACHE_DIR": os.path.join(scratch, "pocl")}
        shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(scratch, "examples"))

    def run(self, command):
        print(f"$ {command}", flush=True)
        done = subprocess.run(["bash", "-c", command], cwd=self.scratch, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise SystemExit(f"docs: `{command}` exits {done.returncode}\n{done.stdout}")
        return done.stdout

    def path(self, name):
        return os.path.join(self.scratch, name)


def timeline(runs):
    command = ("kiln run examples/specs/matmul_tiled.json --set dataset=512 --devices cpu/2 --partition dynamic "
               "--gantt timeline.html")
    runs.run(command.replace("--gantt timeline.html", "--trace warm.json"))  # compiles
    runs.run(command + " --trace out.json")
    with open(runs.path("out.json"), encoding="utf-8") as file:
        trace = json.load(file)
    lanes, spans = draw.read_trace(trace)
    chunks = sum(1 for span in spans if span[1] == "kernel")
    length = max(start + duration for _, _, start, duration in spans)
    return {"command": command, "page": "timeline.html", "page_text": "The page that this command wrote",
            "caption": "The second run of a matrix product, dealt out to two halves of a CPU.",
            "alt": f"A timeline of {length:.0f} milliseconds with {len(lanes)} rows: the host, which looks up the program in "
                   f"the store, and two devices, which take turns at {chunks} chunks of the kernel and end together."}, \
        lambda *form: draw.draw_timeline(trace, *form)


def landscape(runs):
    command = ('kiln tune examples/specs/multiply.json --set dataset=256 --param TS=4,8,16,32,64 --param WPT=1,2,4,8,16 '
               '--constraint "TS % WPT == 0" --strategy exhaustive')
    runs.run(command + " --budget 5m --journal search.jsonl 2>/dev/null")
    runs.run("kiln tuned report search.jsonl -o report.html")
    table = csv.DictReader(io.StringIO(runs.run("kiln tuned export search.jsonl --format csv")))
    rows = [(int(row["TS"]), int(row["WPT"]), float(row["seconds"])) for row in table if row["seconds"]]
    best, first = min(rows, key=lambda row: row[2]), rows[0]
    return {"command": command, "page": "report.html", "page_text": "The report of this search (kiln tuned report)",
            "caption": "Each configuration of a matrix product; dashed the built-in one, framed the fastest.",
            "alt": f"A grid of {len(rows)} times by tile size and work per work-item: the built-in TS={first[0]} WPT={first[1]} takes "
                   f"{first[2] * 1e3:.3g} milliseconds, the fastest, TS={best[0]} WPT={best[1]}, {best[2] * 1e3:.3g}."}, \
        lambda *form: draw.draw_landscape(rows, *form)


def speed(_runs):
    with open(SPEED, encoding="utf-8") as file:
        measured = json.load(file)
    bars = measured["bars"]
    told = "; ".join(f"{bar['what']} {bar['times']:.3g} times as fast as {bar['rival']}" for bar in bars)
    return {"command": measured["command"], "alt": f"Bars on a logarithmic scale: {told}.",
            "caption": f"Measured on {measured['date']}: {measured['machine']}. Both sides in one paired run."}, \
        lambda *form: draw.draw_speed(bars, *form)


def pressure(runs):
    runs.run("kiln mesh naca0012 -I 100 -J 150 -o grid.h5")
    command = "kiln mesh airfoil --grid grid.h5 -n 4000 --vtu airfoil.vtu"
    runs.run(command)
    flow = draw.read_vtu(runs.path("airfoil.vtu"), "pressure")
    return {"command": "kiln mesh naca0012 -I 100 -J 150 -o grid.h5 && " + command, "format": "png",
            "caption": f"The pressure round a NACA 0012 profile after 4,000 steps on {len(flow[1]):,} cells.",
            "alt": "The pressure field round a wing's profile: high at its nose, low above it and, less so, below."}, \
        lambda *form: draw.draw_pressure(flow, *form)


def other_pages(runs, out):
    """Pages of the command that no document shows, for the check in a browser: a first run, which
    compiles; loops over a mesh; a search with failures that has not ended."""
    runs.run("kiln run examples/specs/blur.json --devices cpu/2 --partition 5 --gantt first-run.html")
    runs.run("kiln mesh airfoil --grid grid.h5 -n 20 --gantt mesh.html")
    lines = [{"kiln tuning journal": 1, "identity": "gemm", "device": "p|1|a GPU|2", "strategy": "forest", "seed": 1,
              "space": "TS=4,8,16"},
             {"id": 0, "configuration": {"TS": 4}, "failure": "crash", "message": "ended by SIGSEGV", "at": 0.4},
             {"id": 1, "configuration": {"TS": 8}, "seconds": 0.004, "at": 0.5},
             {"id": 2, "configuration": {"TS": 16}, "seconds": 0.002, "at": 1.5}]
    with open(runs.path("unfinished.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    runs.run("kiln tuned report unfinished.jsonl -o unfinished.html")
    for name in ("first-run", "mesh", "unfinished"):
        shutil.copy(runs.path(name + ".html"), os.path.join(out, "more"))


PICTURES = {"timeline": timeline, "landscape": landscape, "speed": speed, "pressure": pressure}


def make(runs, out):
    facts = {}
    for name, picture in PICTURES.items():
        facts[name], drawing = picture(runs)
        facts[name] = {"sizes": SIZES, "format": "svg"} | facts[name]
        for theme in draw.THEMES:
            for size, form in zip(SIZES, ("wide", "narrow")):
                path = os.path.join(out, f"{name}-{form}-{theme}.{facts[name]['format']}")
                # Of the ones made of pixels, two for each of CSS's; no date, so that a drawing depends on its data alone.
                settings = {"dpi": 200} if path.endswith(".png") else {"metadata": {"Date": None}}
                drawing(size, theme, form == "narrow").savefig(path, **settings)
        if "page" in facts[name]:
            shutil.copy(runs.path(facts[name]["page"]), out)
    os.makedirs(os.path.join(out, "more"))
    other_pages(runs, out)
    with open(os.path.join(out, "pictures.json"), "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    with tempfile.TemporaryDirectory(prefix="kiln-pictures-") as scratch:
        make(Runs(options.bin, scratch), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())

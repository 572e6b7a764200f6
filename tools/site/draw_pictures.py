"""Draws what runs have left: a timeline, a tuning landscape, bars of speed, the pressure round a profile.

Each function draws into a Matplotlib figure in the colours of a theme. `narrow` is the form for a
telephone, where the same letters have half the room.
"""
import base64
import math
import re
import struct
import xml.etree.ElementTree as ElementTree

import matplotlib
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

# The theme's own (theme/site.css), and the categories' of the timeline page.
THEMES = {
    "light": {"ground": "#ffffff", "ink": "#1b2026", "soft": "#55606b", "line": "#d5dae0", "kiln": "#b8441c",
              "rival": "#8d98a4"},
    "dark": {"ground": "#14171b", "ink": "#e4e7eb", "soft": "#a3adb8", "line": "#363d45", "kiln": "#ff9a6b",
             "rival": "#6d7781"},
}
CATEGORIES = {"lookup": "#b4bac2", "compile": "#e8813b", "write": "#62b8e8", "kernel": "#f0c33c", "read": "#3fb98f",
              "merge": "#d78db4", "plan": "#7d9cf0"}


def figure_of(size, theme):
    matplotlib.rcParams.update({"font.size": 9, "svg.hashsalt": "kiln", "font.family": "DejaVu Sans"})
    colours = THEMES[theme]
    figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100, layout="constrained")
    figure.set_facecolor(colours["ground"])
    axes = figure.add_subplot()
    axes.set_facecolor(colours["ground"])
    axes.tick_params(colors=colours["soft"], labelsize=8.5)
    for spine in axes.spines.values():
        spine.set_color(colours["line"])
    return figure, axes, colours


# ---- The timeline of a run, from its trace (docs/timeline.md) ----

def read_trace(trace):
    """({lane: name}, [(lane, category, from, length), …]), in milliseconds; lanes by their order."""
    lanes, spans = {}, []
    for event in trace["traceEvents"]:
        if event["name"] == "thread_name":
            lanes[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            spans.append((event["tid"], event["cat"], event["ts"] / 1e3, event["dur"] / 1e3))
    return lanes, spans


def draw_timeline(trace, size, theme, narrow):
    figure, axes, colours = figure_of(size, theme)
    lanes, spans = read_trace(trace)
    rows = {lane: len(lanes) - 1 - place for place, lane in enumerate(lanes)}
    for lane, category, start, length in spans:
        axes.add_patch(Rectangle((start, rows[lane] - 0.36), length, 0.72, facecolor=CATEGORIES.get(category, "#a99bdc"),
                                 edgecolor=colours["ground"], linewidth=0.8))
    end = max(start + length for _, _, start, length in spans)
    axes.set_xlim(0, end * 1.01)
    axes.set_ylim(-0.6, len(lanes) - 0.4)
    names = {lane: re.sub(r" .*", "", name) if narrow else shortened(name) for lane, name in lanes.items()}
    axes.set_yticks([rows[lane] for lane in lanes], [device_name(names[lane], place) for place, lane in enumerate(lanes)],
                    color=colours["ink"])
    axes.set_xlabel("milliseconds", color=colours["soft"])
    used = [name for name in CATEGORIES if any(span[1] == name for span in spans)]
    axes.legend([Rectangle((0, 0), 1, 1, facecolor=CATEGORIES[name]) for name in used], used, ncols=3 if narrow else len(used),
                loc="lower left", bbox_to_anchor=(0, 1), frameon=False, labelcolor=colours["ink"], handlelength=1,
                columnspacing=1.2, borderaxespad=0.2)
    return figure


def device_name(name, place):
    return "host" if name.startswith("host") else f"device {place - 1}"


def shortened(name):
    return name if len(name) <= 22 else name[:21] + "…"


# ---- The landscape of two parameters, from the measurements of a search ----

def draw_landscape(rows, size, theme, narrow):
    """`rows`: [(TS, WPT, seconds), …], the built-in configuration first."""
    figure, axes, colours = figure_of(size, theme)
    tiles, work = (sorted({row[place] for row in rows}) for place in (0, 1))
    times = {row[:2]: row[2] * 1e3 for row in rows}
    grid = [[times.get((tile, each), math.nan) for tile in tiles] for each in work]
    norm = LogNorm(min(times.values()), max(times.values()))
    image = axes.imshow(grid, cmap="viridis_r", norm=norm, origin="lower", aspect="auto")
    best, built_in = min(times, key=times.get), rows[0][:2]
    for (tile, each), time in times.items():
        x, y = tiles.index(tile), work.index(each)
        bright = norm(time) < 0.45  # the reversed map is bright where times are short
        axes.text(x, y, f"{time:.3g}", ha="center", va="center", fontsize=8 if narrow else 9,
                  color="#10151a" if bright else "#ffffff", fontweight="bold" if (tile, each) == best else "normal")
        if (tile, each) in (best, built_in):
            axes.add_patch(Rectangle((x - 0.47, y - 0.44), 0.94, 0.88, fill=False, linewidth=2.5,
                                     edgecolor=colours["kiln"] if (tile, each) == best else colours["ink"],
                                     linestyle="-" if (tile, each) == best else "--"))
    axes.set_xticks(range(len(tiles)), tiles)
    axes.set_yticks(range(len(work)), work)
    axes.set_xlabel("TS: the tile's side", color=colours["ink"])
    axes.set_ylabel("WPT: work per work-item", color=colours["ink"])
    if not narrow:
        bar = figure.colorbar(image, ax=axes)
        bar.set_label("milliseconds", color=colours["ink"])
        bar.ax.tick_params(which="both", colors=colours["soft"])
    else:
        axes.set_title("milliseconds", fontsize=9, color=colours["ink"])
    return figure


# ---- Bars of speed: how many times as fast as the rival ----

def draw_speed(bars, size, theme, narrow):
    """`bars`: [{"what", "rival", "times"}, …]."""
    figure, axes, colours = figure_of(size, theme)
    places = range(len(bars), 0, -1)
    axes.barh(places, [bar["times"] - 1 for bar in bars], left=1, height=0.55, color=colours["kiln"], zorder=2)
    axes.axvline(1, color=colours["rival"], linewidth=2, zorder=3)
    axes.set_xscale("log")
    low, high = min(bar["times"] for bar in bars), max(bar["times"] for bar in bars)
    axes.set_xlim(min(0.8, low * 0.9), high * (3.5 if narrow else 1.7))
    for place, bar in zip(places, bars):
        axes.text(max(bar["times"], 1) * 1.05, place, f"{bar['times']:.3g} ×", va="center", color=colours["ink"], fontweight="bold")
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50) if tick <= high * 1.2]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(list(places), [f"{bar['what']}\nagainst {bar['rival']}" for bar in bars], color=colours["ink"],
                    fontsize=7.5 if narrow else 8.5)
    axes.set_xlabel("times as fast" if narrow else "times as fast as the rival (line: as fast)", color=colours["soft"])
    axes.grid(axis="x", color=colours["line"], linewidth=0.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure


# ---- The pressure round the profile, from a .vtu file (docs/formats/vtu.md) ----

def read_vtu(path, field):
    """([(x, y), …], [the nodes of each cell], [the field's value of each cell])."""
    with open(path, "rb") as file:
        head, _, appended = file.read().partition(b'<AppendedData encoding="base64">')
    letters = appended[appended.index(b"_") + 1:]
    arrays = {one.get("Name"): one for one in ElementTree.fromstring(head + b"</VTKFile>").iter("DataArray")}
    kinds = {"Float64": "d", "Int32": "i", "Int64": "q"}

    def values(name):
        start = int(arrays[name].get("offset"))
        count = struct.unpack("<Q", base64.b64decode(letters[start:start + 12])[:8])[0]
        data = base64.b64decode(letters[start:start + (count + 8 + 2) // 3 * 4])[8:8 + count]
        kind = kinds[arrays[name].get("type")]
        return struct.unpack(f"<{count // struct.calcsize(kind)}{kind}", data)

    points, nodes, ends = values("Points"), values("connectivity"), values("offsets")
    cells = [nodes[start:end] for start, end in zip((0,) + ends, ends)]
    return list(zip(points[0::3], points[1::3])), cells, values(field)


def draw_pressure(flow, size, theme, narrow):
    points, cells, pressure = flow
    figure, axes, colours = figure_of(size, theme)
    left, right, height = (-0.25, 1.25, 0.55) if narrow else (-0.35, 1.35, 0.45)
    shown = [(cell, value) for cell, value in zip(cells, pressure)
             if any(left - 0.3 < points[node][0] < right + 0.3 and abs(points[node][1]) < height + 0.3 for node in cell)]
    patches = PolyCollection([[points[node] for node in cell] for cell, _ in shown], cmap="coolwarm", edgecolors="face",
                             linewidths=0.3)
    patches.set_array([value for _, value in shown])
    patches.set_norm(TwoSlopeNorm(1, min(pressure), max(pressure)))  # the free stream's pressure is 1
    axes.add_collection(patches)
    axes.set_xlim(left, right)
    axes.set_ylim(-height, height)
    axes.set_aspect("equal")
    axes.set_xlabel("chord lengths", color=colours["soft"])
    bar = figure.colorbar(patches, ax=axes, orientation="horizontal" if narrow else "vertical", shrink=0.9, aspect=30)
    bar.set_label("pressure", color=colours["ink"])
    bar.ax.tick_params(colors=colours["soft"])
    return figure

"""How results look in notebooks."""


def escape(value):
    """Text that is safe within HTML."""
    import html  # not needed by programs that show nothing, and slow to import

    return html.escape(str(value))


def table(rows, head):
    """An HTML table of texts."""
    cells = "".join(f"<th>{escape(one)}</th>" for one in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(one)}</td>" for one in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def duration(nanoseconds):
    """With a unit that suits it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds} ns"


def _device_row(device):
    return (
        device.index,
        device.name,
        device.type.name,
        device.compute_units,
        f"{device.memory_bytes / 2**30:.1f} GiB",
        device.platform,
        device.driver,
    )


_DEVICE_HEAD = ("index", "name", "type", "units", "memory", "platform", "driver")


class DeviceList(list):
    """Devices, as a table in notebooks."""

    def _repr_html_(self):
        return table(map(_device_row, self), _DEVICE_HEAD)


_COLOURS = {
    "kernel": "#2a78b8",
    "call": "#6a6a6a",
    "write": "#d98a2b",
    "read": "#b8532a",
    "compile": "#8a4fa8",
    "lookup": "#9a9a9a",
    "plan": "#5a8f5a",
    "merge": "#c4a000",
}


class Timeline(list):
    """Spans of time by their start, as a picture in notebooks: a row for each lane, or several where
    spans overlap."""

    def rows(self):
        """list of (lane, spans): of a row no two spans overlap; the host's first."""
        lanes = {}
        for span in self:
            rows = lanes.setdefault(span.lane, [])
            row = next((row for row in rows if row[-1].end_ns <= span.start_ns), None)
            if row is None:
                rows.append([span])
            else:
                row.append(span)
        order = sorted(lanes, key=lambda lane: lane != "host")
        return [(lane, row) for lane in order for row in lanes[lane]]

    def to_dicts(self):
        """list of dict: plain data of each span."""
        names = ("lane", "name", "category", "start_ns", "end_ns", "details")
        return [{name: getattr(span, name) for name in names} for span in self]

    def _repr_html_(self):
        if not self:
            return "<p>no spans: was the run asked for a timeline?</p>"
        start, end = min(span.start_ns for span in self), max(span.end_ns for span in self)
        scale = 760 / max(end - start, 1)
        height, text, parts = 18, 220, []
        rows = self.rows()
        for number, (lane, spans) in enumerate(rows):
            y = number * (height + 4)
            parts.append(f'<text x="0" y="{y + 13}" font-size="12">{escape(lane[:32])}</text>')
            for span in spans:
                length = span.end_ns - span.start_ns
                parts.append(
                    f'<rect x="{text + (span.start_ns - start) * scale:.1f}" y="{y}" height="{height}"'
                    f' width="{max(length * scale, 2):.1f}" fill="{_COLOURS.get(span.category, "#444")}">'
                    f"<title>{escape(span.name)}: {span.category}, {duration(length)}</title></rect>"
                )
        colours = {span.category: _COLOURS.get(span.category, "#444") for span in self}
        legend = " ".join(
            f'<span style="color:{colour}">&#9632;</span> {escape(category)}' for category, colour in colours.items()
        )
        return (
            f'<svg role="img" aria-label="what ran when" width="{text + 770}" height="{len(rows) * (height + 4)}">'
            f"{''.join(parts)}</svg><p>{duration(end - start)}: {legend}</p>"
        )


def _bars(shares):
    """A bar for each device, as long as its kernel and its transfers took."""
    longest = max((share.kernel_ns + share.transfer_ns for share in shares), default=0) or 1
    width, height, text = 360, 18, 320
    parts = []
    for row, share in enumerate(shares):
        y = row * (height + 4)
        kernel = width * share.kernel_ns / longest
        transfer = width * share.transfer_ns / longest
        parts.append(
            f'<text x="0" y="{y + 13}" font-size="12">{escape(share.device[:44])}</text>'
            f'<rect x="{text}" y="{y}" width="{kernel:.1f}" height="{height}" fill="#2a78b8">'
            f"<title>kernel {duration(share.kernel_ns)}</title></rect>"
            f'<rect x="{text + kernel:.1f}" y="{y}" width="{transfer:.1f}" height="{height}" fill="#d98a2b">'
            f"<title>transfers {duration(share.transfer_ns)}</title></rect>"
        )
    total = len(shares) * (height + 4)
    return (
        f'<svg role="img" aria-label="time of each device" width="{text + width}" height="{total}">'
        f"{''.join(parts)}</svg>"
    )


def _summary(summary):
    lines = [f"<p>{duration(summary.wall_ns)}"]
    if summary.reason:
        lines.append(f"; not split: {escape(summary.reason)}")
    lines.append("</p>")
    if summary.shares:
        rows = [
            (share.device, share.groups, duration(share.kernel_ns), duration(share.transfer_ns))
            for share in summary.shares
        ]
        lines += [_bars(summary.shares), table(rows, ("device", "work-groups", "kernel", "transfers"))]
    return "".join(lines)


def _result(result):
    rows = [
        (position, array.dtype, "x".join(map(str, array.shape)), array.reshape(-1)[:4].tolist())
        for position, array in result.outputs.items()
    ]
    return (
        f"<p><b>{escape(result.file)}</b></p>{_summary(result.summary)}"
        + table(rows, ("argument", "type", "shape", "begins with"))
    )


def decorate(native):
    """Gives the classes of the extension module their looks."""
    native.Device._repr_html_ = lambda self: table([_device_row(self)], _DEVICE_HEAD)
    native.RunSummary._repr_html_ = _summary
    native.RunResult._repr_html_ = _result

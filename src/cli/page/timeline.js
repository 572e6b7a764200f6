'use strict';
// The timeline of a run. data.lanes: [{name, rows}]; a row is a list of spans that do not overlap;
// a span is [start, length, name, category, detail, its value, …], times in ns since the first
// span's start, texts as places in data.texts. data.arrows: [from, to], places among all spans in
// the order of lanes and rows; data.marks: [ns, name], moments that get a line. Both may be absent.

const lanes = data.lanes.map(({name, rows}) => ({
  name, rows: rows.map(row => row.map(([start, length, label, category, ...details]) => ({
    start, end: start + length, name: data.texts[label], category: data.texts[category],
    details: details.map(place => data.texts[place])
  })))
}));
const spansOf = lane => lane.rows.flat();
const all = lanes.flatMap(spansOf);
const arrows = (data.arrows ?? []).map(([from, to]) => ({from: all[from], to: all[to]}));
const marks = (data.marks ?? []).map(([ns, name]) => ({ns, name}));
const whole = [...all.map(span => span.end), ...marks.map(mark => mark.ns)]
    .reduce((end, ns) => Math.max(end, ns), 0);

// The categories that occur, in the order of a program's life, then any others by name.
const coloured = ['lookup', 'compile', 'plan', 'write', 'kernel', 'read', 'merge', 'exchange', 'wait'];
const occurring = new Set(all.map(span => span.category));
const categories = [...coloured.filter(name => occurring.delete(name)), ...[...occurring].sort()];
const categoryStyle = name => coloured.includes(name) ? name : 'other';

// The kernels, what took longest first, and the colour that tells each from the others.
const kernelColours = 12;  // the style sheet has so many: classes n0, n1, …
const kernels = new Map();
for (const span of all)
  if (span.category === 'kernel') {
    const kernel = kernels.get(span.name) || {name: span.name, count: 0, ns: 0};
    kernels.set(span.name, kernel);
    ++kernel.count;
    kernel.ns += span.end - span.start;
  }

// FNV-1a in 64 bits: a name has the same colour in every run.
function hashOf(name) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return Number((hash ^ (hash >> 32n)) % BigInt(kernelColours));
}

// Each gets its name's own colour where that is free; the others then get what is left. More
// kernels than colours have to share.
{
  const taken = new Set(), late = [];
  for (const kernel of [...kernels.values()].sort((a, b) => a.name < b.name ? -1 : 1)) {
    kernel.colour = hashOf(kernel.name);
    if (taken.has(kernel.colour) && kernels.size <= kernelColours) late.push(kernel);
    taken.add(kernel.colour);
  }
  for (const kernel of late) {
    while (taken.has(kernel.colour)) kernel.colour = (kernel.colour + 1) % kernelColours;
    taken.add(kernel.colour);
  }
}
const kernelTotals = [...kernels.values()].sort((a, b) => b.ns - a.ns);
const kernelStyle = name => kernels.size < 2 ? 'kernel' : 'kernel n' + kernels.get(name).colour;
const styleOf = span =>
    span.category === 'kernel' ? kernelStyle(span.name) : categoryStyle(span.category);

const counted = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
const swatch = style => make('i', {class: style});

// The categories; in place of `kernel` the kernels, where there are several and not too many.
function drawLegend() {
  const byName = kernels.size > 1 && kernels.size <= kernelColours;
  for (const category of categories)
    for (const [style, name] of category === 'kernel' && byName ?
             kernelTotals.map(({name}) => [kernelStyle(name), name]) :
             [[categoryStyle(category), category]])
      find('.legend').append(make('li', {}, swatch(style), name));
}

// Nanoseconds in which at least one of the spans was under way.
function busyTime(spans) {
  let busy = 0, until = 0;
  for (const {start, end} of [...spans].sort((a, b) => a.start - b.start)) {
    busy += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return busy;
}

function drawTables() {
  const totals = find('#totals');
  totals.hidden = false;
  find('thead tr', totals).append(
      ...categories.map(name => make('th', {scope: 'col'}, swatch(categoryStyle(name)), name)),
      make('th', {scope: 'col'}, 'busy'));
  const lengths = spans => categories.map(category => {
    const own = spans.filter(span => span.category === category);
    if (!own.length) return make('td', {class: 'none'}, '–');
    const ns = own.reduce((sum, span) => sum + span.end - span.start, 0);
    return make('td', {}, timeText(ns) + ' ', small('× ' + own.length));
  });
  for (const lane of lanes) {
    const spans = spansOf(lane), busy = busyTime(spans);
    addRow(find('tbody', totals), heading(lane.name), ...lengths(spans),
           whole ? make('td', {}, timeText(busy) + ' ', small(percentText(busy / whole)))
                 : make('td', {}, '–'));
  }
  addRow(find('tfoot', totals), heading('all lanes'), ...lengths(all), ...cells(''));

  const sum = kernelTotals.reduce((ns, kernel) => ns + kernel.ns, 0);
  find('#kernels').hidden = !kernels.size;
  for (const {name, count, ns} of kernelTotals)
    addRow(find('#kernels tbody'), make('th', {scope: 'row'}, swatch(kernelStyle(name)), name),
           ...cells(count, timeText(ns), timeText(Math.floor(ns / count)),
                    percentText(sum ? ns / sum : 0)));
}

// Pixels. The style sheet has the same axis height.
const axisHeight = 28, rowHeight = 28, barHeight = 24;
const heightOf = lane => Math.max(60, 16 + rowHeight * lane.rows.length);
// Bars below this width have no edge: crowded, they would vanish behind edges in the ground's
// colour. They are drawn last: a long neighbour must not hide them.
const thin = 5;
const mostArrows = 400;
const widest = 2000;  // times zoomed: wider drawings would lose pixels to rounding

const units = [[1e9, 's', 9], [1e6, 'ms', 6], [1e3, 'µs', 3], [1, 'ns', 0]];
const percent = share => share * 100 + '%';

function tooltip(span, hidden) {
  const lines = [span.name, `${span.category}, ${timeText(span.end - span.start)}`,
                 `from ${timeText(span.start)} to ${timeText(span.end)}`];
  for (let i = 0; i < span.details.length; i += 2)
    if (span.details[i + 1]) lines.push(`${span.details[i]}: ${span.details[i + 1]}`);
  if (hidden) lines.push(`and ${counted(hidden, 'other span')} in the same place: zoom in`);
  return lines.join('\n');
}

// 'device 0: NAME' in two parts, the second one small.
function nameOf(lane) {
  const [, first, rest] = lane.name.match(/^(.*?)(?:: (.*))?$/);
  const name = make('div', {class: 'name', title: lane.name}, make('b', {}, first));
  if (rest) name.append(make('span', {}, rest));
  name.style.height = heightOf(lane) + 'px';
  return name;
}

// A chart of the time from `from` to `to`: the lanes' names at the left, and over a time axis one
// row of bars a row of a lane. Positions are percentages, so that the chart follows the page's
// width, and zooming widens the drawing. What is in view, and as far again to both sides, is drawn.
function drawChart(title, from, to) {
  const length = to - from, at = ns => (ns - from) / length;
  // The host's lane may be empty; it is shown all the same.
  const rows = [], here = lanes.filter(lane => !lane.rows.length || spansOf(lane).some(
      span => span.end >= from && span.start <= to));
  const chart = copyOf('chart'), view = find('.view', chart), grounds = make('g', {});
  let bottom = axisHeight;
  for (const lane of here) {
    const height = heightOf(lane), used = lane.rows.length * rowHeight - (rowHeight - barHeight);
    const first = bottom + (height - used) / 2;
    lane.rows.forEach((spans, i) => rows.push({spans, y: first + i * rowHeight}));
    find('.names', chart).append(nameOf(lane));
    grounds.append(make('rect', {class: 'ground', y: bottom, width: '100%', height}));
    bottom += height;
  }
  const axis = make('g', {class: 'axis'}), bars = make('g', {}), over = make('g', {});
  const svg = make('svg', {width: '100%', height: bottom, role: 'img', 'aria-label': title},
                   grounds, axis, bars, over);
  const middleOf = new Map(rows.flatMap(({spans, y}) => spans.map(
      span => [span, y + barHeight / 2])));
  find('h2', chart).append(title);
  view.append(svg);
  find('#totals').before(chart);

  const unit = units.find(([ns]) => to >= ns) || units[3];
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = '11.5px ' + getComputedStyle(document.body).fontFamily;
  const extent = letters => pen.measureText(letters.join('')).width;
  let zoom = 1;

  // The name, or as much of its beginning as there is room for.
  function fitted(name, room) {
    const letters = [...name], full = extent(letters);
    if (full <= room) return name;
    let count = Math.floor(letters.length * room / full);
    while (count > 2 && extent([...letters.slice(0, count), '…']) > room) --count;
    return count > 2 ? letters.slice(0, count).join('') + '…' : '';
  }

  function tick(ns, digits, width) {
    const share = at(ns), x = percent(share);
    const anchor = share * width < 25 ? 'start' : (1 - share) * width < 35 ? 'end' : 'middle';
    return [make('line', {x1: x, x2: x, y1: 22, y2: bottom}),
            make('text', {x, y: 15, 'text-anchor': anchor},
                 ns === 0 ? '0' : (ns / unit[0]).toFixed(digits) + ' ' + unit[1])];
  }

  function bar({span, y, left, share, hidden}, width, scrolled) {
    const box = {x: percent(left), y, width: percent(share), height: barHeight};
    const isThin = share * width < thin;
    const rect = make('rect', box);
    // Even the shortest span takes the pixels that an eye needs.
    if (isThin) rect.style.width = `max(${box.width},2px)`;
    const group = make('g', {class: 'span ' + styleOf(span) + (isThin ? ' thin' : '')},
                       make('title', {}, tooltip(span, hidden)), rect);
    // The label stays in sight while its bar does. A drawing of its own cuts off what an unusually
    // wide font leaves no room for.
    const before = Math.max(0, scrolled - left * width);
    const label = share * width < 28 ? '' : fitted(span.name, share * width - before - 8);
    if (label) group.append(make('svg', box, make('text', {x: 5 + before, y: 16}, label)));
    return group;
  }

  // From the end of a span to the begin of one that waited for it. Too many would hide the bars:
  // those of a wide view appear as one zooms in.
  function drawArrows(first, last, width) {
    const seen = arrows.filter(({from, to}) => middleOf.has(from) && middleOf.has(to) &&
                                               to.start >= first && from.end <= last);
    if (seen.length > mostArrows) return;
    for (const {from, to} of seen) {
      const x1 = at(from.end) * width, x2 = at(to.start) * width;
      const y1 = middleOf.get(from), y2 = middleOf.get(to);
      const reach = Math.max(6, Math.min(40, Math.abs(x2 - x1) / 2));
      // Over the bars of its own row, from the edge of one to that of the other.
      const top = barHeight / 2 + 6 + Math.min(10, Math.abs(x2 - x1) / 40);
      const d = y1 !== y2 ?
          `M${x1} ${y1}C${x1 + reach} ${y1} ${x2 - reach} ${y2} ${x2} ${y2}m-5 -3l5 3l-5 3` :
          `M${x1} ${y1 - barHeight / 2}C${x1 + 4} ${y1 - top} ${x2 - 4} ${y1 - top} ` +
          `${x2} ${y1 - barHeight / 2}m-5 -3l5 3l1 -6`;
      over.append(make('path', {class: 'arrow', d}));
    }
  }

  function drawMarks(width) {
    for (const {ns, name} of marks) {
      if (ns < from || ns > to) continue;
      const x = at(ns) * width, isLate = x > width - 60;
      over.append(make('line', {class: 'mark', x1: x, x2: x, y1: axisHeight - 4, y2: bottom}),
                  make('text', {class: 'mark', x: x + (isLate ? -4 : 4), y: bottom - 5,
                                'text-anchor': isLate ? 'end' : 'start'}, name));
    }
  }

  function draw() {
    const width = svg.getBoundingClientRect().width;
    const seen = view.clientWidth, scrolled = view.scrollLeft;
    const first = from + length * Math.max(0, (scrolled - seen) / width);
    const last = from + length * Math.min(1, (scrolled + 2 * seen) / width);
    // 2.5: a telephone shows two at least, which is what makes a scale.
    const step = Math.max(1, roundStep(length, Math.max(2.5, width / 90)));
    const digits = Math.max(0, unit[2] - Math.floor(Math.log10(step) + 1e-9));
    axis.replaceChildren(...multiples(step, first, last).flatMap(ns => tick(ns, digits, width)));
    const wide = [], narrow = [];
    for (const {spans, y} of rows) {
      let before = null;
      for (const span of spans) {
        if (span.end < first || span.start > last) continue;
        const left = Math.max(0, at(span.start)), share = Math.min(1, at(span.end)) - left;
        const pixel = Math.floor(left * width), middle = (left + share) * width - pixel >= 0.5;
        const found = {span, y, left, share, pixel, middle, hidden: 0};
        if (share * width >= thin) {
          wide.push(found);
        } else if (before === null || before.pixel !== found.pixel) {
          narrow.push(before = found);
        } else {
          // Of several in one pixel that in its middle stands for all, so that crowds have their
          // colours in the shares of the times.
          const hidden = before.hidden + 1;
          const better = !before.middle && (middle || share > before.share);
          Object.assign(before, better ? found : {}, {hidden});
        }
      }
    }
    bars.replaceChildren();
    for (const found of wide.concat(narrow)) bars.append(bar(found, width, scrolled));
    over.replaceChildren();
    drawArrows(first, last, width);
    drawMarks(width);
  }

  function zoomTo(next, place) {
    next = Math.min(widest, Math.max(1, next));
    const share = (view.scrollLeft + place) / svg.getBoundingClientRect().width;
    zoom = next;
    svg.style.width = percent(zoom);
    view.scrollLeft = share * svg.getBoundingClientRect().width - place;
    draw();
  }

  const [out, into, fit] = chart.querySelectorAll('.zoom button');
  out.onclick = () => zoomTo(zoom / 2, view.clientWidth / 2);
  into.onclick = () => zoomTo(zoom * 2, view.clientWidth / 2);
  fit.onclick = () => zoomTo(1, 0);
  view.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomTo(zoom * Math.exp(-event.deltaY / 300), event.clientX - view.getBoundingClientRect().left);
  }, {passive: false});
  view.addEventListener('keydown', event => {
    const act = {'+': into, '=': into, '-': out, '0': fit}[event.key];
    if (act && !event.ctrlKey && !event.metaKey) act.click();
  });
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  view.addEventListener('scroll', later);
  addEventListener('resize', later);
  draw();
}

// A chart with some room at its right end, where the last bar's visible minimum may stand.
function drawWindow(title, from, to) {
  drawChart(title, from, Math.max(from + 10, to + Math.floor((to - from) / 150)));
}

// The time in which devices worked, where that is so small a part of the whole (a compile came
// before) that it needs a chart of its own.
function drawDevices() {
  const spans = lanes.slice(1).flatMap(spansOf);
  const from = spans.reduce((least, span) => Math.min(least, span.start), Infinity);
  let to = spans.reduce((most, span) => Math.max(most, span.end), 0);
  if (from >= to || to - from > whole / 5) return;
  // What the host does with the results, such as merging them, follows at once.
  if (whole - to <= to - from) to = whole;
  const margin = Math.floor((to - from) / 40);
  drawWindow('Devices at work', Math.max(0, from - margin), to + margin);
}

if (all.length) {
  find('.facts').append(
      `${counted(all.length, 'span')} on ${counted(lanes.length, 'lane')} in ${timeText(whole)}`);
  drawLegend();
  drawTables();
  drawWindow('Whole run', 0, whole);
  drawDevices();
} else {
  find('.facts').append('No spans were recorded.');
}

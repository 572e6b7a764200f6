'use strict';
// A search. data.parameters: [{name, values}]; data.evaluations: [seconds, at, value, …], values as
// places among their parameter's, null for a time that is missing; data.top: the fastest of
// them, by number from 0, the best first. The rest is named as what it fills.

const {parameters, top: ranking, importance, ending} = data;
const evaluations = data.evaluations.map(
    ([seconds, at, ...places], i) => ({number: i + 1, seconds, at, places}));
const isMeasured = one => one.seconds !== null, isFailed = one => one.seconds === null;
const measured = evaluations.filter(isMeasured);
const greatest = numbers => numbers.reduce((most, number) => Math.max(most, number), 0);
const valueOf = (one, p) => parameters[p].values[one.places[p]];
const textOf = one => parameters.map(({name}, p) => `${name}=${valueOf(one, p)}`).join(' ');

function show(id) {
  const section = document.getElementById(id);
  section.hidden = false;
  return section;
}

function drawFigures() {
  find('#subject').append(data.identity, make('br'), data.device, make('br'),
                          `strategy ${data.strategy}, seed ${data.seed}`);
  const figure = (name, value) =>
      find('.figures').append(make('div', {}, make('dt', {}, name), make('dd', {}, value)));
  const {best} = data, end = greatest(evaluations.map(one => one.at));
  if (best) {
    figure(ending ? 'winner' : 'fastest so far', secondsText(best.seconds));
    figure('with', best.text);
  }
  if (ending?.builtIn > 0) figure('built-in', secondsText(ending.builtIn));
  figure('evaluations', evaluations.length);
  figure('failed', evaluations.length - measured.length);
  if (end > 0) figure('searched for', secondsText(end));
}

const words = text => make('td', {class: 'words'}, text);

// A cell with bars of these shares of its width.
function barCell(...bars) {
  return make('td', {class: 'bar'}, make('div', {}, ...bars.map(([style, share]) => {
    const bar = make('i', {class: style});
    bar.style.width = 100 * share + '%';
    return bar;
  })));
}

function drawImportance() {
  const section = show('importance');
  find(importance ? '#too-few' : '#anova', section).remove();
  if (!importance) {
    find('#least').append(data.leastForImportance);
    return;
  }
  const {measured, explained, shares} = importance;
  const hint = explained < 0.5 ? ': take the shares as a hint' : '';
  find('#measured').append(measured);
  find('#explained').append((100 * Math.max(0, explained)).toFixed(0) + ' %' + hint);
  for (const [p, alone, withOthers] of shares)
    addRow(find('tbody', section), heading(parameters[p].name),
           barCell(['', withOthers], ['alone', alone]),
           ...cells(percentText(alone), percentText(withOthers)));
}

function drawFailures() {
  const section = show('failures');
  find(data.failures.length ? '.facts' : '.wide', section).remove();
  for (const [reason, count, message] of data.failures) {
    const share = count / evaluations.length;
    addRow(find('tbody', section), heading(reason.replace('_', ' ')), barCell(['fails', share]),
           make('td', {}, count + ' ', small(percentText(share))), words(shortened(message, 300)));
  }
}

function drawEnding() {
  const section = show('winner'), {explanation, after, finalists} = ending;
  find('.facts', section).append(
      `On record: ${data.best.text}, ${secondsText(data.best.seconds)}. ${explanation}.` +
      (after ? ` ${after} evaluations came after that.` : ''));
  if (finalists.length < 2) find('.wide', section).remove();
  else finalists.forEach(([relative, rounds, place], i) => addRow(
      find('tbody', section), ...cells(i + 1, relative.toFixed(3) + ' ×', rounds),
      words(place === null ? '' : textOf(evaluations[place]))));
}

function drawTop() {
  const section = show('top'), fastest = evaluations[ranking[0]].seconds;
  find('h2', section).append('Top ' + ranking.length);
  find('thead tr', section).append(...parameters.map(({name}) => make('th', {scope: 'col'}, name)));
  ranking.forEach((place, i) => {
    const one = evaluations[place], relative = (one.seconds / fastest).toFixed(3) + ' ×';
    addRow(find('tbody', section), ...cells(i + 1, secondsText(one.seconds), relative, one.number,
                                            ...parameters.map((_, p) => valueOf(one, p))));
  });
}

// Positions in a drawing have one decimal: more is invisible.
const place = number => +number.toFixed(1);

// Where the times lie on a vertical axis, which is logarithmic, with some room at both ends.
function timeAxis(bottom, top) {
  const times = measured.map(one => one.seconds);
  const fastest = times.reduce((a, b) => Math.min(a, b)), slowest = greatest(times);
  // Equal times still need an axis of some length.
  const room = Math.max((slowest / fastest) ** 0.06, 1.02);
  const least = fastest / room, most = slowest * room, length = Math.log(most / least);
  const at = seconds => place(bottom + Math.log(seconds / least) / length * (top - bottom));
  return {at, least, most};
}

// Round values on the axis, about so many of them.
function timeTicks({least, most}, count) {
  // Within a factor of eight, powers of ten give one tick at most.
  if (most / least < 8) return multiples(roundStep(most - least, count), least, most);
  let ticks = [];
  for (const factors of [[1], [1, 3], [1, 2, 5]]) {
    const finer = [];
    for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10)
      for (const tick of factors.map(factor => factor * power))
        if (tick >= least && tick <= most) finer.push(tick);
    if (ticks.length && finer.length > count) break;
    ticks = finer;
  }
  return ticks;
}

const textAt = (x, y, anchor, text) => make('text', {x, y, 'text-anchor': anchor}, text);
const labels = (texts, y) => make(
    'g', {class: 'axis'}, ...texts.map(([x, text]) => textAt(place(x), y, 'middle', text)));

// A drawing with lines across it at the ticks of the times, from `left` to `right`.
function timeDrawing(style, [width, height], axis, left, right, count, label) {
  const grid = make('g', {class: 'axis'});
  for (const tick of timeTicks(axis, count)) {
    const y = axis.at(tick);
    grid.append(make('line', {x1: left, x2: right, y1: y, y2: y}),
                textAt(left - 6, place(y + 4), 'end', secondsText(tick)));
  }
  const viewBox = `0 0 ${width} ${height}`;
  return make('svg', {class: style, viewBox, role: 'img', 'aria-label': label}, grid);
}

// Points as one path, which takes a tenth of what a circle each would. Round line caps make them
// visible.
function dots(style, points) {
  return make('path', {class: style, d: points.map(([x, y]) => `M${place(x)} ${y}h0`).join('')});
}

function ring(x, y, title) {
  return make('circle', {class: 'best', cx: place(x), cy: y, r: 4}, make('title', {}, title));
}

// The search as it went: every time and the best so far, by what `across` says of an evaluation,
// from 0 to `end`.
function drawCurve(id, points, across, end, unit) {
  const left = 70, right = 944, failedAt = 272, axis = timeAxis(250, 14);
  const xOf = value => left + value / end * (right - left), x = one => xOf(across(one));
  const section = show(id), title = find('h2', section).textContent;
  const svg = timeDrawing('large', [960, 302], axis, left, right, 7, title);
  const step = Math.max(roundStep(end, 10), unit ? 0 : 1);  // there is no half evaluation
  const ticks = multiples(step, 0, end);
  svg.append(labels(ticks.map(tick => [xOf(tick), +tick.toPrecision(6) + unit]), 296));
  const timed = points.filter(isMeasured), failed = points.filter(isFailed);
  svg.append(dots('dot', timed.map(one => [x(one), axis.at(one.seconds)])));
  if (failed.length)
    svg.append(make('g', {class: 'axis'}, textAt(left - 6, failedAt + 4, 'end', 'failed')),
               dots('fail', failed.map(one => [x(one), failedAt])));
  let best = Infinity, line = '';
  const rings = [];
  for (const one of timed) {
    if (one.seconds >= best) continue;
    best = one.seconds;
    const y = axis.at(best);
    line += line ? `H${place(x(one))}V${y}` : `M${place(x(one))} ${y}`;
    rings.push(ring(x(one), y, `evaluation ${one.number}: ${secondsText(best)}\n${textOf(one)}`));
  }
  svg.append(make('path', {class: 'curve', d: `${line}H${right}`}), ...rings);
  find('.wide', section).append(svg);
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

// What a parameter does: its values and the times that were measured with them.
function scatter(p) {
  const {name, values} = parameters[p];
  const left = 62, right = 330, axis = timeAxis(158, 10), slot = (right - left) / values.length;
  const middle = i => left + (i + 0.5) * slot, spread = Math.min(slot * 0.6, 40);
  const svg = timeDrawing('', [340, 202], axis, left, right, 4, 'times by ' + name);
  // As many labels as there is room for, evenly.
  const longest = greatest(values.map(value => Math.min([...value].length, 10) + 2));
  const each = Math.ceil(values.length / Math.max(1, Math.floor(38 / longest)));
  const names = values.map((value, i) => [middle(i), shortened(value, 10)]);
  svg.append(labels(names.filter((_, i) => i % each === 0), 196));
  // Points with one value would cover each other: a low-discrepancy sequence spreads them evenly.
  const x = one => middle(one.places[p]) + ((one.number * 0.6180339887) % 1 - 0.5) * spread;
  svg.append(dots('fail', evaluations.filter(isFailed).map(one => [x(one), 175])),
             dots('dot', measured.map(one => [x(one), axis.at(one.seconds)])));
  const half = Math.min(slot * 0.4, 24), times = values.map(() => []);
  for (const one of measured) times[one.places[p]].push(one.seconds);
  svg.append(make('path', {class: 'median', d: times.map((own, i) => own.length ?
      `M${place(middle(i) - half)} ${axis.at(median(own))}h${place(2 * half)}` : '').join('')}));
  const best = evaluations[ranking[0]];
  svg.append(ring(middle(best.places[p]), axis.at(best.seconds),
                  `the ${ending ? 'winner' : 'fastest'}: ${valueOf(best, p)}`));
  return make('figure', {}, make('figcaption', {}, name), svg);
}

function drawParameters() {
  const order = importance ? importance.shares.map(([p]) => p) : [...parameters.keys()];
  const several = order.filter(p => parameters[p].values.length > 1);
  if (several.length) find('.grid', show('parameters')).append(...several.map(scatter));
}

drawFigures();
drawFailures();
if (measured.length) {
  drawCurve('by-evaluation', evaluations, one => one.number, evaluations.length + 1, '');
  // Older versions wrote journals without times: part of a journal may have none.
  const timed = evaluations.filter(one => one.at !== null);
  const end = greatest(timed.map(one => one.at));
  if (end > 0 && timed.some(isMeasured))
    drawCurve('by-time', timed, one => one.at, end * 1.01, ' s');
  drawImportance();
  drawParameters();
  if (ending) drawEnding();
  drawTop();
}

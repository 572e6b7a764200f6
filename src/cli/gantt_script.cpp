#include "cli/gantt_style.hpp"

namespace kiln::cli {

// Zooming widens the drawing, whose positions are percentages; only what depends on the width in
// pixels is made anew: the ticks in view, the labels of bars that are wide enough for them, and
// which bars are too thin for an edge in the ground's colour (crowded, they would vanish behind
// it). Texts are set as text, never as markup.
const std::string_view gantt_script = R"js(
'use strict';
const units = [[1e9, 's', 9], [1e6, 'ms', 6], [1e3, 'µs', 3], [1, 'ns', 0]];
const most = 2000;  // wider drawings would lose pixels to rounding

function tickStep(length, count) {
  for (let power = 1; ; power *= 10)
    for (const factor of [1, 2, 5])
      if (length / (factor * power) < count) return factor * power;
}

function adapt(chart) {
  const view = chart.querySelector('.view'), svg = view.querySelector('svg');
  const axis = svg.querySelector('.axis'), [line, text] = [axis.querySelector('line'), axis.querySelector('text')];
  const label = document.createElementNS(svg.namespaceURI, 'svg');
  label.appendChild(document.createElementNS(svg.namespaceURI, 'text'));
  const from = +chart.dataset.from, length = chart.dataset.to - from;
  const unit = units.find(([ns]) => +chart.dataset.to >= ns) || units[3];
  const spans = [...svg.querySelectorAll('.span')].map(g => {
    const rect = g.querySelector('rect'), title = g.querySelector('title').textContent;
    const share = name => parseFloat(rect.getAttribute(name)) / 100;
    return {g, rect, left: share('x'), width: share('width'), name: [...title.split('\n')[0]]};
  });
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = getComputedStyle(text).font;
  const extent = letters => pen.measureText(letters.join('')).width;
  let zoom = 1;
  svg.style.minWidth = 0;  // that labels and ticks without a script need; here they adapt

  // The name, or as much of its beginning as there is room for.
  function fitted(name, room) {
    const whole = extent(name);
    if (whole <= room) return name.join('');
    let count = Math.floor(name.length * room / whole);
    while (count > 2 && extent([...name.slice(0, count), '…']) > room) --count;
    return count > 2 ? name.slice(0, count).join('') + '…' : '';
  }

  function drawTicks(width) {
    const step = tickStep(length * 90 / width, 1), start = view.scrollLeft / width - 0.2 / zoom;
    const first = Math.ceil((from + Math.max(0, start) * length) / step) * step;
    const last = from + Math.min(1, start + 1.4 / zoom) * length;
    const digits = Math.max(0, unit[2] - Math.floor(Math.log10(step) + 1e-9));
    const made = [];
    for (let ns = first; ns <= last; ns += step) {
      const share = (ns - from) / length, x = share * 100 + '%', l = line.cloneNode(), t = text.cloneNode();
      l.setAttribute('x1', x);
      l.setAttribute('x2', x);
      t.setAttribute('x', x);
      t.setAttribute('text-anchor', share * width < 25 ? 'start' : (1 - share) * width < 35 ? 'end' : 'middle');
      t.textContent = ns === 0 ? '0' : (ns / unit[0]).toFixed(digits) + ' ' + unit[1];
      made.push(l, t);
    }
    axis.replaceChildren(...made);
  }

  function drawLabels(width) {
    const start = view.scrollLeft / width - 1 / zoom, end = start + 3 / zoom;
    for (const span of spans) {
      const wide = span.width * width, fits = wide >= 28;
      span.g.classList.toggle('thin', wide < 5);
      const seen = fits && span.left < end && span.left + span.width > start;
      let own = span.g.querySelector('svg');
      if (!seen) { if (own) own.remove(); continue; }
      if (!own) {
        own = span.g.appendChild(label.cloneNode(true));
        for (const name of ['x', 'y', 'width', 'height']) own.setAttribute(name, span.rect.getAttribute(name));
        own.firstChild.setAttribute('y', '16');
      }
      // The label stays in sight while its bar does.
      const hidden = Math.max(0, view.scrollLeft - span.left * width);
      own.firstChild.setAttribute('x', 5 + hidden);
      own.firstChild.textContent = fitted(span.name, wide - hidden - 8);
    }
  }

  function draw() {
    const width = svg.getBoundingClientRect().width;
    drawTicks(width);
    drawLabels(width);
  }

  function zoomTo(next, at) {
    next = Math.min(most, Math.max(1, next));
    const old = svg.getBoundingClientRect().width, place = (view.scrollLeft + at) / old;
    zoom = next;
    svg.style.width = zoom * 100 + '%';
    view.scrollLeft = place * svg.getBoundingClientRect().width - at;
    draw();
  }

  const middle = () => view.clientWidth / 2;
  const [out, into, fit] = chart.querySelectorAll('.zoom button');
  out.onclick = () => zoomTo(zoom / 2, middle());
  into.onclick = () => zoomTo(zoom * 2, middle());
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
  chart.querySelector('.zoom').hidden = false;
  draw();
}

document.querySelectorAll('.chart').forEach(adapt);
)js";

}  // namespace kiln::cli

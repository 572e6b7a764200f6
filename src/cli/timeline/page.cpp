#include "cli/timeline/page.hpp"

#include <fmt/format.h>

#include <array>

#include "expr/text.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The entity for a character that markup gives a meaning; empty for others.
std::string_view entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// C0 and C1 controls, and those that change the direction of the text around them.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = expr::character_at(text, at);
    const std::size_t step = bytes == 0 ? 1 : bytes;
    if (bytes != 0 && (code == '\n' || code == '\r' || code == '\t'))
      result += ' ';
    else if (bytes == 0 || is_control(code))
      result += replacement;
    else if (const auto name = entity(code); !name.empty())
      result += name;
    else
      result += text.substr(at, step);
    at += step;
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t characters) {
  if (expr::count_characters(text) <= characters) return std::string(text);
  if (characters < 4) return {};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i + 1 < characters; ++i)
    bytes += expr::nth_character(text.substr(bytes), 0).size();
  return std::string(text.substr(0, bytes)) + "…";
}

std::string time_text(std::int64_t ns) {
  if (ns <= 0) return "0";
  if (ns < 1000) return fmt::format("{} ns", ns);
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array units{Unit{1e3, "µs"}, Unit{1e6, "ms"}, Unit{1e9, "s"}};
  std::size_t unit = 0;
  // 999.5 would be written as 1000 of the smaller unit.
  while (unit + 1 < units.size() && static_cast<double>(ns) >= 999.5 * units[unit].ns) ++unit;
  const double value = static_cast<double>(ns) / units[unit].ns;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit].name);
}

std::string percent(double fraction) {
  std::string text = fmt::format("{:.5f}", fraction * 100);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

namespace {

struct Unit {
  std::int64_t ns;
  int digits;  ///< decimals that tell one nanosecond
  const char* name;
};

const Unit& unit_for(std::int64_t ns) {
  static constexpr std::array units{Unit{1'000'000'000, 9, "s"}, Unit{1'000'000, 6, "ms"},
                                    Unit{1'000, 3, "µs"}, Unit{1, 0, "ns"}};
  for (const auto& unit : units)
    if (ns >= unit.ns) return unit;
  return units.back();
}

}  // namespace

std::int64_t tick_step(std::int64_t length_ns, int most) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t factor : {1, 2, 5})
      if (length_ns / (factor * power) < most) return factor * power;
    power *= 10;
  }
}

std::vector<Tick> ticks(const Window& window, int most) {
  const std::int64_t step = tick_step(window.length(), most);
  const Unit& unit = unit_for(window.to_ns);
  int decimals = unit.digits;
  for (std::int64_t rest = step; decimals > 0 && rest % 10 == 0; rest /= 10) --decimals;
  std::vector<Tick> result;
  for (std::int64_t ns = (window.from_ns + step - 1) / step * step; ns <= window.to_ns; ns += step)
    result.push_back(
        {ns, ns == 0
                 ? "0"
                 : fmt::format("{:.{}f} {}", static_cast<double>(ns) / static_cast<double>(unit.ns),
                               decimals, unit.name)});
  return result;
}

// The colours of the categories are Okabe and Ito's, which people with any kind of colour vision
// can tell apart; all are light enough for dark text, so that they serve on light and dark grounds,
// as those that tell kernels from one another (n0, n1, …: KernelColours in gantt.cpp).
const std::string_view gantt_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --shade: #8090a014; --ink: #1b2026; --soft: #5b6570;
  --line: #d9dee4; --edge: #ffffff;
  --lookup: #b4bac2; --compile: #e8813b; --write: #62b8e8; --kernel: #f0c33c; --read: #3fb98f;
  --merge: #d78db4; --plan: #7d9cf0; --other: #a99bdc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1d2126; --ink: #e7eaee; --soft: #9ba5b0; --line: #343b43;
    --edge: #1d2126;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px; max-width: 1800px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
h1 { font-size: 22px; margin: 0; }
h2 { font-size: 15px; margin: 0; }
.facts { color: var(--soft); margin: 2px 0 12px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0 0 16px; padding: 0; }
i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
i.lookup { background: var(--lookup); } i.compile { background: var(--compile); }
i.write { background: var(--write); } i.kernel { background: var(--kernel); }
i.read { background: var(--read); } i.merge { background: var(--merge); }
i.plan { background: var(--plan); } i.other { background: var(--other); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; padding: 14px 16px; }
section header { display: flex; justify-content: space-between; align-items: center; min-height: 28px; margin-bottom: 8px; }
.zoom button {
  font: inherit; min-width: 30px; height: 26px; margin-left: 4px; padding: 0 8px; cursor: pointer;
  color: var(--ink); background: var(--page); border: 1px solid var(--line); border-radius: 5px;
}
.frame { display: flex; }
.names { flex: 0 0 190px; min-width: 0; overflow: hidden; padding: 28px 12px 0 0; border-right: 1px solid var(--line); }
.name { display: flex; flex-direction: column; justify-content: center; line-height: 1.25; overflow: hidden; }
.name b { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: none; }
.name b:only-child {
  white-space: normal; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 3;
}
.name span {
  color: var(--soft); font-size: 11.5px; overflow: hidden; overflow-wrap: anywhere;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
}
.view { flex: 1; min-width: 0; overflow-x: auto; overflow-y: hidden; }
.view:focus-visible { outline: 2px solid var(--write); }
.view svg { display: block; min-width: 720px; }
.view svg svg { min-width: 0; }
.ground { fill: transparent; }
.lane:nth-of-type(even) .ground { fill: var(--shade); }
.axis line { stroke: var(--line); }
.axis text { fill: var(--soft); font-size: 11.5px; }
.span rect { stroke: var(--edge); rx: 2.5px; }
.thin rect { stroke: none; rx: 0; }
.span:hover rect { stroke: var(--ink); }
.span text { fill: #10151a; font-size: 11.5px; pointer-events: none; }
.lookup rect { fill: var(--lookup); } .compile rect { fill: var(--compile); }
.write rect { fill: var(--write); } .kernel rect { fill: var(--kernel); }
.read rect { fill: var(--read); } .merge rect { fill: var(--merge); }
.plan rect { fill: var(--plan); } .other rect { fill: var(--other); }
.n0 rect { fill: #f0c33c; } i.n0 { background: #f0c33c; }
.n1 rect { fill: #5fb7e6; } i.n1 { background: #5fb7e6; }
.n2 rect { fill: #ef8e6b; } i.n2 { background: #ef8e6b; }
.n3 rect { fill: #6cc08b; } i.n3 { background: #6cc08b; }
.n4 rect { fill: #b79cf0; } i.n4 { background: #b79cf0; }
.n5 rect { fill: #e58cc0; } i.n5 { background: #e58cc0; }
.n6 rect { fill: #b8cc4f; } i.n6 { background: #b8cc4f; }
.n7 rect { fill: #4fc4c0; } i.n7 { background: #4fc4c0; }
.n8 rect { fill: #e8dc9a; } i.n8 { background: #e8dc9a; }
.n9 rect { fill: #8fa6f2; } i.n9 { background: #8fa6f2; }
.n10 rect { fill: #e0707a; } i.n10 { background: #e0707a; }
.n11 rect { fill: #a9b7b0; } i.n11 { background: #a9b7b0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin-top: 8px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 14px; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border: 0; font-weight: 600; color: var(--soft); }
th:first-child { text-align: left; padding-left: 0; }
tbody th, tfoot th { font-weight: 500; white-space: normal; overflow-wrap: anywhere; min-width: 12em; max-width: 32em; }
tfoot th, tfoot td { border-top: 2px solid var(--line); font-weight: 600; }
small, .none { color: var(--soft); font-weight: 400; }
small { font-size: 12px; }
@media (max-width: 760px) { body { padding: 12px; } .names { flex-basis: 110px; } }
@media print { body { padding: 0; } section { break-inside: avoid; } .zoom { display: none; } }
)css";

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

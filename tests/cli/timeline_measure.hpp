#pragma once

#include <string>

namespace kiln::testing {

/// The page with a script at its end that measures what the reader sees, and leaves the figures as
/// JSON in an element of its own. `action` is a statement that runs before.
inline std::string with_measures(std::string page, const std::string& action = "") {
  const std::string script = "<pre id=\"measured\"></pre><script>" + action + R"js(;
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const box = element => element.getBoundingClientRect();
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};
const style = element => getComputedStyle(element);
// How far the boxes of neighbours reach into one another, in pixels.
const overlap = boxes => boxes.reduce((worst, b, i) => i ? Math.max(worst, boxes[i - 1].right - b.left) : worst, -1e9);
const labels = all('.span text').filter(text => text.textContent);
document.getElementById('measured').textContent = JSON.stringify({
  lanes: all('.chart').map(chart => all('.name b', chart).map(b => b.textContent)),
  bars: all('.chart').map(chart => all('.span', chart).length),
  labels: labels.map(text => text.textContent),
  ticks: all('.chart').map(chart => all('.axis text', chart).map(t => t.textContent)),
  table: all('tr').map(row => [...row.cells].map(cell => cell.textContent)),
  legend: all('.legend li').map(li => li.textContent),
  legend_colours: all('.legend i').map(i => style(i).backgroundColor),
  widest_names: Math.max(...all('.names').map(names => box(names).width)),
  view_excess: Math.max(...all('.view').map(view => view.scrollWidth - view.clientWidth)),
  thinnest_bar: Math.min(...all('.span rect').map(rect => box(rect).width)),
  label_excess: Math.max(...labels.map(text => box(text).right - box(text.closest('.span').querySelector('rect')).right), -1e9),
  tick_overlap: Math.max(...all('.chart').map(chart => overlap(all('.axis text', chart).map(box)))),
  name_excess: Math.max(...all('.name').map(name => name.scrollHeight - name.clientHeight)),
  lane_shift: Math.max(...all('.chart').flatMap(chart => all('.name', chart).map((name, i) => Math.abs(box(name).top - box(all('.ground', chart)[i]).top)))),
  text_contrast: contrast(style(document.body).color, style(document.body).backgroundColor),
  tick_contrast: Math.min(...all('.axis text').map(t => contrast(style(t).fill, style(t.closest('section')).backgroundColor))),
  label_contrast: Math.min(...labels.map(t => contrast(style(t).fill, style(t.closest('.span').querySelector('rect')).fill)), 21),
  page_luminance: luminance(style(document.body).backgroundColor),
  drawing_width: Math.max(...all('.view > svg').map(svg => box(svg).width)),
  page_excess: document.documentElement.scrollWidth - innerWidth,
  zoom_buttons: all('.zoom button').filter(b => box(b).width > 0).length,
  requests: performance.getEntriesByType('resource').length,
  foreign: all('img, script, iframe, link, object, b:not(.name b)').length - document.scripts.length,
  alerted: !!window.alerted,
});
</script></body>)js";
  return page.replace(page.rfind("</body>"), 7, script);
}

}  // namespace kiln::testing

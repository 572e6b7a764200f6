#include "cli/tune/report_parts.hpp"

namespace kiln::cli {

// Blue and vermilion of Okabe and Ito's colours: people with any kind of colour vision can tell
// them apart, on light and on dark grounds.
const std::string_view report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2026; --soft: #5b6570; --line: #d9dee4;
  --dot: #4a8fc2; --light: #b5d3ea; --best: #c14f00; --fail: #9aa3ad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1d2126; --ink: #e7eaee; --soft: #9ba5b0; --line: #343b43;
    --dot: #62b8e8; --light: #2f5268; --best: #f08a3c; --fail: #6d7781;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px; max-width: 1200px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
h1 { font-size: 22px; margin: 0; }
h2 { font-size: 15px; margin: 0 0 6px; }
.facts { color: var(--soft); margin: 2px 0 12px; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 12px 36px; margin: 0 0 16px; }
.figures div { overflow-wrap: anywhere; }
.figures dt { color: var(--soft); font-size: 12px; }
.figures dd { margin: 0; font-size: 18px; font-weight: 600; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; padding: 14px 16px; }
svg { display: block; width: 100%; }
.large { min-width: 800px; }
.wide { overflow-x: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; max-width: 440px; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
.axis line { stroke: var(--line); }
.axis text, .note { fill: var(--soft); font-size: 11.5px; }
.dot, .fail { fill: none; stroke-linecap: round; }
.dot { stroke: var(--dot); stroke-width: 4.5px; stroke-opacity: 0.55; }
.fail { stroke: var(--fail); stroke-width: 4px; stroke-opacity: 0.7; }
.curve { fill: none; stroke: var(--best); stroke-width: 2px; }
.median { fill: none; stroke: var(--ink); stroke-width: 2px; }
.best { fill: var(--card); stroke: var(--best); stroke-width: 2.5px; }
circle.best:hover { fill: var(--best); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 14px; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border: 0; font-weight: 600; color: var(--soft); }
th:first-child, td:first-child { padding-left: 0; }
.bars { width: 100%; }
.bars th:first-child, .words { text-align: left; }
.words { white-space: normal; overflow-wrap: anywhere; min-width: 12em; color: var(--soft); }
tbody th { font-weight: 500; }
td.bar { min-width: 90px; width: 40%; }
td.bar div { position: relative; height: 14px; }
td.bar i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--light); border-radius: 2px; }
td.bar i.alone { background: var(--dot); }
td.bar i.fails { background: var(--fail); }
small { color: var(--soft); font-size: 12px; }
@media (max-width: 760px) { body { padding: 12px; } }
@media print { body { padding: 0; } section { break-inside: avoid; } }
)css";

}  // namespace kiln::cli

#include "cli/gantt_style.hpp"

namespace kiln::cli {

// The colours of the categories are Okabe and Ito's, which people with any kind of colour vision
// can tell apart; all are light enough for dark text, so that they serve on light and dark grounds,
// as those that tell kernels from one another (n0, n1, …: gantt_colours.cpp).
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

}  // namespace kiln::cli

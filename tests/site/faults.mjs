// Faults that a page may have, and what the check must say of each: a check that finds none of them
// would pass any site.
export const faults = [
  ['<script>console.error("bad")</script>', 'console: bad'],
  ['<script>undefined_function()</script>', 'undefined_function is not defined'],
  ['<script src="https://example.invalid/x.js"></script>', 'asks for https://example.invalid/x.js'],
  ['<img src="absent.png" alt="x" width="9" height="9">', 'cannot be loaded'],
  ['<h1>second</h1>', 'has 2 first headings'],
  ['<div style="width:2000px">wide</div>', 'wider than the window'],
  ['<div style="width:500px">wide</div>', 'at 360 pixels is'],
  ['<p style="font-size:8px">small</p>', 'letters of 8 pixels'],
  ['<p style="color:#aaa">pale</p>', 'light, 1400 pixels: axe color-contrast'],
  ['<style>@media (prefers-color-scheme: dark) { p { color: #aaa } }</style><p>pale</p>', 'dark, 360 pixels: axe color-contrast'],
  ['<input type="text">', 'axe label'],
  ['<pre style="width:90px;height:20px;overflow:auto">far too long a line, which scrolls, and more lines\n\n\n</pre>',
   'axe scrollable-region-focusable'],
  ['<a href="absent.html">x</a>', 'a link leads nowhere'],
  ['<a href="#absent">x</a>', 'a link leads to no anchor'],
];

// Looks at every page of the site in Chromium, opened from its folder, as a reader without a network
// would: check-site.mjs --site FOLDER --modules FOLDER [--match TEXT] [PAGES…]. PAGES are further files,
// checked likewise; with --match only files whose path has the text. Exit code 1 where something is
// wrong, with a line for each finding.
//
// Of each page: no error on the console, no request that leaves the folder, no broken link or anchor;
// at 1,400 and at 360 pixels it fits the window and its letters can be read; axe-core finds no
// violation, light or dark, wide or narrow. Of the site: search finds what searches.mjs lists, from the folder and
// from a server; the theme can be chosen.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {createRequire} from 'node:module';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {faults} from './faults.mjs';
import {searches} from './searches.mjs';

const WIDTHS = [1400, 360];
const SMALLEST_LETTERS = 11;  // pixels
const AT_ONCE = 2;

const options = {site: '', modules: '', match: '', pages: []};
for (let args = process.argv.slice(2); args.length;) {
  const word = args.shift();
  if (word === '--site' || word === '--modules') options[word.slice(2)] = path.resolve(args.shift() ?? '');
  else if (word === '--match') options.match = args.shift() ?? '';
  else options.pages.push(path.resolve(word));
}
if (!options.site || !options.modules) {
  console.error('check-site: expected --site FOLDER --modules FOLDER [PAGES…]');
  process.exit(2);
}
const require = createRequire(options.modules + '/');
const {chromium} = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const problems = [];
const nameOf = file => path.relative(options.site, file);
const note = (file, text) => problems.push(`${nameOf(file)}: ${text}`);

function filesBelow(folder) {
  return fs.readdirSync(folder, {withFileTypes: true}).flatMap(entry => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : file.endsWith('.html') ? [file] : [];
  });
}

// ---- One page ----

// What a page says of itself, evaluated in it.
function look() {
  const all = selector => [...document.querySelectorAll(selector)];
  return {
    ids: all('[id]').map(element => element.id),
    links: all('a[href]').map(link => link.href),
    sources: all('img, source, script[src], link[rel=stylesheet], link[rel=icon]')
        .map(element => element.src || element.href || new URL(element.srcset, document.baseURI).href).filter(Boolean),
    titles: all('h1').length,
    pictures: all('img').filter(image => !image.complete || !image.naturalWidth)
        .filter(image => image.getBoundingClientRect().width > 0).map(image => image.src),
  };
}

// What does not fit the window, and letters that are too small.
function fits(smallest) {
  const found = [];
  const excess = document.documentElement.scrollWidth - innerWidth;
  if (excess > 0) {
    const widest = [...document.querySelectorAll('body *')].filter(element =>
        element.getBoundingClientRect().right > innerWidth + 0.5 && !element.closest('.wide, .view, pre, .skip'))[0];
    found.push(`is ${excess} pixels wider than the window` + (widest ? `: ${widest.outerHTML.slice(0, 100)}` : ''));
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const tooSmall = new Map();
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.textContent.trim() || !element.checkVisibility() || /^(SCRIPT|STYLE|NOSCRIPT|TITLE)$/i.test(element.tagName)) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < smallest) tooSmall.set(size, text.textContent.trim().slice(0, 40));
  }
  for (const [size, text] of tooSmall) found.push(`letters of ${size} pixels, expected ${smallest} at least: ${text}`);
  return found;
}

// Of the dark form only what differs from the light one: colours.
async function violations(page, rules = null) {
  const found = await page.evaluate(only => axe.run(document, {
    resultTypes: ['violations'], preload: false,  // it would fetch style sheets, which a folder refuses
    ...(only ? {runOnly: {type: 'rule', values: only}} : {}),
  }), rules);
  return found.violations.map(one => `axe ${one.id} (${one.help}), ${one.nodes.length} times: ` +
      one.nodes.slice(0, 2).map(node => node.target.join(' ') + ' ' + node.html.slice(0, 120)).join(' | '));
}

async function checkPage(context, file) {
  const page = await context.newPage();
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) note(file, `console: ${message.text()}`);
  });
  page.on('pageerror', error => note(file, `script: ${error.message}`));
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) note(file, `asks for ${request.url()}`);
  });
  page.on('requestfailed', request => note(file, `cannot be loaded: ${request.url()}`));
  await page.setViewportSize({width: WIDTHS[0], height: 900});
  await page.emulateMedia({colorScheme: 'light', reducedMotion: 'reduce'});
  await page.goto(pathToFileURL(file).href, {waitUntil: 'load'});
  const facts = await page.evaluate(look);
  if (facts.titles !== 1) note(file, `has ${facts.titles} first headings, expected 1`);
  for (const source of facts.pictures) note(file, `shows no picture: ${source}`);
  await page.evaluate(axe);
  for (const width of WIDTHS) {
    await page.setViewportSize({width, height: 900});
    for (const finding of await page.evaluate(fits, SMALLEST_LETTERS)) note(file, `at ${width} pixels ${finding}`);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({colorScheme});
      for (const finding of await violations(page, colorScheme === 'dark' ? ['color-contrast'] : null))
        note(file, `${colorScheme}, ${width} pixels: ${finding}`);
    }
  }
  await page.close();
  return facts;
}

// ---- Links among pages ----

function checkLinks(facts) {
  for (const [file, {links, sources}] of facts) {
    for (const link of new Set([...links, ...sources])) {
      const url = new URL(link);
      if (url.protocol !== 'file:') continue;  // no network here
      const target = fileURLToPath('file://' + url.pathname);
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (!fs.existsSync(target) || !fs.statSync(target).isFile()) note(file, `a link leads nowhere: ${link}`);
      else if (anchor && facts.has(target) && !facts.get(target).ids.includes(anchor)) note(file, `a link leads to no anchor: ${link}`);
    }
  }
}

// ---- Search and theme ----

async function checkSearch(context, start) {
  const page = await context.newPage();
  page.on('pageerror', error => problems.push(`search: ${error.message}`));
  await page.goto(start);
  for (const [query, wanted] of searches) {
    await page.fill('#search', query);
    await page.waitForFunction(text => document.querySelector('#found')?.dataset.query === text, query);
    const found = await page.$$eval('#found a', links => links.slice(0, 3).map(link => link.href));
    if (!found.some(link => link.includes(wanted)))
      problems.push(`search: '${query}' finds ${found.map(link => path.basename(link)).join(', ') || 'nothing'}, expected ${wanted} among the first three`);
  }
  await page.evaluate(axe);
  for (const finding of await violations(page)) problems.push(`search, with results: ${finding}`);
  await page.fill('#search', 'no such word anywhere');
  await page.waitForFunction(() => document.querySelector('#found')?.textContent.startsWith('Nothing'));
  // The keyboard alone: the arrow goes to what was found, Enter opens it.
  await page.fill('#search', searches[0][0]);
  const first = await page.waitForSelector('#found a');
  const wanted = await first.getAttribute('href');
  await page.press('#search', 'ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/${wanted}`);
  await page.close();
}

async function checkTheme(context, start) {
  const page = await context.newPage();
  await page.emulateMedia({colorScheme: 'light'});
  await page.goto(start);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click('#theme');
  if (await ground() !== light) problems.push('theme: light is not light');
  await page.click('#theme');
  const dark = await ground();
  if (dark === light) problems.push('theme: dark is the same as light');
  await page.reload();
  if (await ground() !== dark) problems.push('theme: the choice is forgotten on the next page');
  await page.evaluate(axe);
  for (const finding of await violations(page)) problems.push(`theme, dark by choice: ${finding}`);
  await page.close();
}

function serve() {
  const kinds = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png'};
  const server = http.createServer((request, response) => {
    const file = path.join(options.site, decodeURIComponent(new URL(request.url, 'http://x').pathname));
    fs.readFile(file, (error, data) => {
      response.writeHead(error ? 404 : 200, {'Content-Type': kinds[path.extname(file)] ?? 'application/octet-stream'});
      response.end(data);
    });
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done(server)));
}

// ---- The check itself: it finds what it is there to find, and nothing on a page that is right ----

async function checkFaults(context) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-site-'));
  for (const [markup, expected] of [['<p>right</p>', ''], ...faults]) {
    const file = path.join(folder, 'page.html'), before = problems.length;
    fs.writeFileSync(file, '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head>' +
                               `<body><main><h1>A page</h1>${markup}</main></body></html>`);
    checkLinks(new Map([[file, await checkPage(context, file)]]));
    const found = problems.splice(before);
    if (expected ? !found.some(one => one.includes(expected)) : found.length)
      problems.push(`the check says of ${markup}: ${found.join('; ') || 'nothing'}; expected ${expected || 'nothing'}`);
  }
  fs.rmSync(folder, {recursive: true});
}

// ---- All of it ----

const browser = await chromium.launch({executablePath: process.env.KILN_CHROMIUM ?? '/usr/bin/chromium',
                                       args: ['--no-sandbox', '--disable-gpu']});
const context = await browser.newContext();
await checkFaults(context);
const files = [...filesBelow(options.site), ...options.pages].filter(file => file.includes(options.match));
const waiting = [...files], facts = new Map();
await Promise.all(Array.from({length: AT_ONCE}, async () => {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    try {
      facts.set(file, await checkPage(context, file));
    } catch (error) {
      note(file, `cannot be looked at: ${error.message.split('\n')[0]}`);
    }
  }
}));
checkLinks(facts);
const server = await serve();
for (const start of [pathToFileURL(path.join(options.site, 'index.html')).href, `http://127.0.0.1:${server.address().port}/index.html`]) {
  const fresh = await browser.newContext({viewport: {width: WIDTHS[0], height: 900}});
  for (const check of [checkSearch, checkTheme])
    await check(fresh, start).catch(error => problems.push(`${check.name} on ${start}: ${error.message.split('\n')[0]}`));
  await fresh.close();
}
server.close();
await browser.close();
for (const problem of problems) console.log(`check-site: ${problem}`);
const links = [...facts.values()].reduce((sum, one) => sum + one.links.length, 0);
console.log(`-- site: ${facts.size} pages, ${links} links, ${searches.length} searches, ${problems.length} wrong`);
process.exit(problems.length ? 1 : 0);

'use strict';
// Search, light and dark, and the menu. Without this script the pages are whole, but for these.

const up = document.body.dataset.up;
const field = document.getElementById('search'), found = document.getElementById('found');

// ---- Search ----

field.form.hidden = false;

// The index is large, so it comes with the first use. A script, since a page that is opened from a
// folder may not fetch.
let index = null;
function withIndex(then) {
  if (index) return then();
  const script = document.createElement('script');
  script.src = up + 'search.js';
  script.onload = () => {
    index = window.kilnSearch.map(([url, title, page, text]) => ({
      url, title, page, text, lowTitle: title.toLowerCase(), lowPage: page.toLowerCase(), lowText: text.toLowerCase(),
    }));
    then();
  };
  document.head.append(script);
}

// How well a section answers a word: 0 where it has it nowhere. A word that begins in the title
// counts most; one inside of another counts little.
function scoreOf(one, word) {
  let score = 0;
  if (one.lowTitle === word) score += 40;
  const title = one.lowTitle.indexOf(word);
  if (title >= 0) score += begins(one.lowTitle, title) ? 20 : 8;
  if (one.lowPage.includes(word)) score += 5;
  for (let at = one.lowText.indexOf(word), count = 0; at >= 0 && count < 5; at = one.lowText.indexOf(word, at + 1), ++count)
    score += begins(one.lowText, at) ? 2 : 0.5;
  return score;
}
const begins = (text, at) => at === 0 || !/[a-z0-9]/.test(text[at - 1]);

// The sections that have all words, the best first.
function search(query) {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}_.:+-]+/u).filter(word => word);
  if (!words.length) return [];
  const hits = [];
  for (const one of index) {
    const scores = words.map(word => scoreOf(one, word));
    // The reference is for those who name a thing of it; others want to be told.
    const weight = one.url.startsWith('api/') ? 0.7 : 1;
    if (scores.every(score => score > 0)) hits.push({one, score: weight * scores.reduce((a, b) => a + b)});
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, 20).map(hit => ({...hit.one, words}));
}

// What stands around the first of the words.
function excerpt({text, lowText, words}) {
  const first = Math.min(...words.map(word => lowText.indexOf(word)).filter(place => place >= 0), lowText.length);
  const at = first < 40 ? 0 : text.indexOf(' ', first - 40) + 1;
  return (at ? '… ' : '') + text.slice(at, at + 140);
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

function showResults() {
  const query = field.value.trim();
  found.hidden = !query;
  if (!query) return;
  const hits = search(query);
  const count = element('p', {role: 'status'}, hits.length ? `${hits.length} found` : `Nothing has all of: ${query}`);
  const list = hits.map(hit => element('li', {}, element('a', {href: up + hit.url},
      element('b', {}, hit.title), hit.title === hit.page ? '' : ` · ${hit.page}`, element('small', {}, excerpt(hit)))));
  found.dataset.query = query;
  found.replaceChildren(count, ...(list.length ? [element('ol', {}, ...list)] : []));
}

const close = () => { found.hidden = true; };
field.addEventListener('input', () => withIndex(showResults));
field.addEventListener('focus', () => withIndex(showResults));
field.form.addEventListener('submit', event => {
  event.preventDefault();
  withIndex(() => { showResults(); found.querySelector('a')?.click(); });
});
// The arrows go through what was found, Escape leaves it.
field.form.addEventListener('keydown', event => {
  if (event.key === 'Escape') { close(); field.focus(); close(); }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [field, ...found.querySelectorAll('a')];
  const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
  event.preventDefault();
});
found.addEventListener('click', close);
document.addEventListener('click', event => { if (!field.form.contains(event.target)) close(); });
document.addEventListener('keydown', event => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  }
});

// ---- Light and dark ----

const button = document.getElementById('theme');
const themes = ['auto', 'light', 'dark'], names = {auto: 'system', light: 'light', dark: 'dark'};
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${names[theme]}`;
  try { localStorage.setItem('kiln-theme', theme); } catch (error) { /* the choice lasts for this page */ }
}
setTheme(themes.includes(document.documentElement.dataset.theme) ? document.documentElement.dataset.theme : 'auto');
button.hidden = false;
button.addEventListener('click', () => {
  setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]);
});

// ---- The menu: open where there is room for it ----

const wide = matchMedia('(min-width: 1000px)'), menu = document.getElementById('menu');
const fit = () => { menu.open = wide.matches; };
wide.addEventListener('change', fit);
fit();
const current = menu.querySelector('[aria-current]');
if (current && wide.matches) current.closest('nav').scrollTop = Math.max(0, current.offsetTop - 200);

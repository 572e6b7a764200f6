'use strict';
// What the pages share: their data, elements, texts and round numbers. Data only ever becomes text
// (append() of a string, attributes), never markup.

// Line ends become blanks. Other control characters, and those that change the direction of the
// text around them, become visible.
const shown = text => text.replace(/[\t\n\r]/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

const data = JSON.parse(document.getElementById('data').textContent,
                        (key, value) => typeof value === 'string' ? shown(value) : value);

const drawn = new Set(['svg', 'g', 'rect', 'line', 'path', 'circle', 'text', 'title']);

// An element of HTML or SVG. Children are elements or texts.
function make(name, attributes, ...children) {
  const element = drawn.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name)
                                  : document.createElement(name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...children);
  return element;
}

const find = (selector, within = document) => within.querySelector(selector);
const copyOf = id => document.getElementById(id).content.firstElementChild.cloneNode(true);
const heading = text => make('th', {scope: 'row'}, text);
const cells = (...texts) => texts.map(text => make('td', {}, text));
const small = text => make('small', {}, text);

function addRow(part, ...row) {
  part.append(make('tr', {}, ...row));
}

// A duration in three significant digits and the unit that suits it: '1.23 ms', '450 ns', '0'.
function timeText(ns) {
  if (ns <= 0) return '0';
  if (ns < 1e3) return ns + ' ns';
  // 999.5 would be written as 1000 of the smaller unit.
  const [size, unit] = ns < 999.5e3 ? [1e3, 'µs'] : ns < 999.5e6 ? [1e6, 'ms'] : [1e9, 's'];
  const value = ns / size;
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + ' ' + unit;
}

const secondsText = seconds => timeText(Math.round(seconds * 1e9));
const percentText = share => (100 * share).toFixed(1) + ' %';

// The text, or its beginning and an ellipsis, in at most so many characters.
function shortened(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most - 1).join('') + '…';
}

// The smallest of 1, 2 and 5 times a power of ten that makes at most `count` steps of a length.
function roundStep(length, count) {
  const rough = length / count, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5].map(factor => factor * power).find(step => step >= rough) || 10 * power;
}

// The multiples of a step from one value to another.
function multiples(step, from, to) {
  const found = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) found.push(i * step);
  return found;
}

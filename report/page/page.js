'use strict';
const report = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
const page = 200; // rows that a table shows at once

// el makes an element. Text is never read as HTML: names come from files.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'onclick' || name === 'oninput' || name === 'ontoggle') e[name] = value;
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  for (const c of children.flat(Infinity)) if (c !== undefined && c !== null && c !== '') e.append(c);
  return e;
}

function svg(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children.flat(Infinity));
  return e;
}

// plain shows what doesn't print by its code.
function plain(s) {
  return String(s).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

const hex = n => '0x' + Number(n).toString(16);
const commas = n => Number(n).toLocaleString('en-US');
const classes = {'agree': 'good', 'differ': 'bad', 'refused': 'bad', 'not judged': 'doubt', 'refused alike': 'calm', 'skipped': 'calm'};
const badge = v => el('span', {class: 'verdict ' + (classes[v] || 'calm')}, v);

// table shows rows a page at a time, with a search over their texts, so that a
// link of many thousand functions stays usable.
function table(label, heads, rows, draw, text) {
  let found = rows, shown = 0;
  const body = el('tbody');
  const count = el('span', {class: 'soft', role: 'status'});
  const more = el('button', {type: 'button', onclick: grow}, 'Show more');
  function grow() {
    for (const r of found.slice(shown, shown + page)) body.append(draw(r));
    shown = Math.min(found.length, shown + page);
    count.textContent = commas(shown) + ' of ' + commas(found.length);
    more.hidden = shown >= found.length;
  }
  function search(words) {
    const want = words.toLowerCase().split(/\s+/).filter(Boolean);
    found = want.length ? rows.filter(r => { const t = text(r).toLowerCase(); return want.every(w => t.includes(w)); }) : rows;
    body.replaceChildren();
    shown = 0;
    grow();
  }
  grow();
  const bar = rows.length > 12 ? el('div', {class: 'bar'},
    el('input', {type: 'search', placeholder: 'Search ' + label, 'aria-label': 'Search ' + label, oninput: e => search(e.target.value)}), count) : '';
  return el('div', {}, bar, el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label},
    el('table', {}, el('thead', {}, el('tr', {}, heads.map(h => el('th', {scope: 'col'}, h)))), body)), more);
}

function place(f) {
  if (f.section && f.offset !== undefined) return f.section + '+' + hex(f.offset);
  if (f.section) return f.section;
  if (f.offset !== undefined) return 'file+' + hex(f.offset);
  return f.symbol || '';
}

// bitsOf is a word from its highest bit down; bytes are in file order.
function bitsOf(bytes) {
  let s = '';
  for (let i = bytes.length - 2; i >= 0; i -= 2) s += parseInt(bytes.substr(i, 2), 16).toString(2).padStart(8, '0');
  return s;
}

// words draws what each source has, with the bits marked that differ from the
// first.
function words(list) {
  const first = bitsOf(list[0].bytes);
  return el('div', {class: 'word'}, list.map(w => {
    const bits = bitsOf(w.bytes), out = el('span', {class: 'bits'});
    let run = '', marked = false;
    const flush = () => { if (run) out.append(marked ? el('b', {}, run) : run); run = ''; };
    for (let i = 0; i < bits.length; i++) {
      const differs = bits.length !== first.length || bits[i] !== first[i];
      if (differs !== marked) { flush(); marked = differs; }
      run += bits[i];
      if (i % 8 === 7) run += ' ';
    }
    flush();
    return [el('span', {class: 'soft'}, plain(w.of)), out];
  }));
}

function finding(f) {
  return el('div', {class: 'finding ' + f.level},
    el('h3', {}, f.level + ': ', el('code', {}, plain(f.key)), f.code ? ' (' + f.code + ')' : '', place(f) ? [' at ', el('code', {}, plain(place(f)))] : ''),
    f.symbol && f.symbol !== place(f) ? el('p', {class: 'soft'}, 'in ', el('code', {}, plain(f.symbol))) : '',
    f.file ? el('p', {class: 'soft'}, 'file ', el('code', {}, plain(f.file))) : '',
    f.meaning ? el('p', {}, plain(f.meaning)) : '',
    f.values ? el('table', {}, el('tbody', {}, f.values.map(v => el('tr', {}, el('th', {scope: 'row'}, plain(v.of)), el('td', {}, el('code', {}, v.text ? plain(v.text) : '(nothing)')))))) : '',
    f.words && f.words.length ? words(f.words) : '');
}

function figures(list) {
  return list && list.length ? el('div', {class: 'figures'}, list.map(f => el('span', {}, plain(f.name) + ' ', el('b', {}, commas(f.value)), f.unit ? ' ' + plain(f.unit) : ''))) : '';
}

// seriesView draws how a number grew: seconds to the right.
function seriesView(s) {
  const width = 600, height = 120, points = s.points || [];
  const last = Math.max(1, ...points.map(p => p[0])), top = Math.max(1, ...points.map(p => p[1]));
  const at = p => (p[0] / last * width).toFixed(1) + ',' + (height - p[1] / top * (height - 14)).toFixed(1);
  return el('figure', {}, svg('svg', {viewBox: `0 0 ${width} ${height + 16}`, role: 'img', 'aria-label': `${plain(s.name)}: ${commas(top)} after ${commas(last)} seconds`},
    svg('rect', {x: 0, y: 0, width: width, height: height, fill: 'var(--panel)', stroke: 'var(--line)'}),
    svg('polyline', {points: points.map(at).join(' '), fill: 'none', stroke: 'var(--value)', 'stroke-width': 2}),
    svg('text', {x: 4, y: 12}, document.createTextNode(commas(top))),
    svg('text', {x: width, y: height + 13, 'text-anchor': 'end'}, document.createTextNode(commas(last) + ' s'))),
    el('figcaption', {class: 'soft'}, plain(s.name) + ' over time'));
}

const sourceOf = a => a.source + (a.release ? ' ' + a.release : '');

function answers(row) {
  const list = row.answers || [];
  if (!list.length) return '';
  return el('table', {}, el('tbody', {}, list.map(a => el('tr', {}, el('th', {scope: 'row'}, plain(sourceOf(a))), el('td', {}, a.outcome), el('td', {}, a.detail ? el('code', {}, plain(a.detail.split('\n')[0])) : '')))));
}

function traces(row) {
  const traced = (row.answers || []).filter(a => a.trace && a.trace.length);
  return traced.length ? el('div', {class: 'pair'}, traced.map(a => el('div', {}, el('h3', {}, 'Trace of ' + sourceOf(a)), el('pre', {tabindex: '0'}, a.trace.map(plain).join('\n'))))) : '';
}

function rowBody(row) {
  const all = row.findings || [];
  const list = el('div');
  let shown = 0;
  const more = el('button', {type: 'button', onclick: grow}, 'Show more findings');
  function grow() {
    for (const f of all.slice(shown, shown + 20)) list.append(finding(f));
    shown = Math.min(all.length, shown + 20);
    more.hidden = shown >= all.length;
  }
  grow();
  const f = row.functions;
  return el('div', {class: 'body'},
    row.note ? el('p', {}, plain(row.note)) : '',
    f ? el('p', {}, `Functions: ${commas(f.accepted)} accepted, ${commas(f.rejected)} rejected, ${commas(f.not_judged)} not judged.`) : '',
    figures(row.figures), row.series ? el('div', {class: 'pair'}, row.series.map(seriesView)) : '', answers(row), list, more, traces(row),
    row.more ? el('p', {class: 'soft'}, 'and ' + commas(row.more) + ' more that the report does not keep') : '',
    row.unjudged ? [el('h3', {}, 'Not judged'), table('what was not judged', ['name', 'reason'], row.unjudged,
      u => el('tr', {}, el('td', {}, el('code', {}, plain(u.name))), el('td', {}, plain(u.reason))), u => u.name + ' ' + u.reason)] : '',
    row.link ? shape(row.link) : '', row.capsules ? capsules(row.capsules) : '',
    row.repeat ? [el('h3', {}, 'Again'), el('pre', {tabindex: '0'}, plain(row.repeat))] : '');
}

function rowView(row, open) {
  const first = row.findings && row.findings[0];
  const d = el('details', {open: open, 'data-verdict': row.verdict});
  let filled = false;
  const fill = () => { if (d.open && !filled) { filled = true; d.append(rowBody(row)); } };
  d.append(el('summary', {}, badge(row.verdict), ' ', plain(row.subject || 'unnamed'), ' ',
    el('span', {class: 'soft'}, [row.arch, row.release].filter(Boolean).join(' '), first ? ' · ' + plain(first.key) + ' ' + plain(place(first)) : '')));
  d.ontoggle = fill;
  fill();
  return d;
}

function rowsView() {
  const rows = report.rows || [];
  if (!rows.length) return;
  const worst = rows.find(r => r.verdict === 'differ');
  const verdicts = [...new Set(rows.map(r => r.verdict))];
  const on = new Set(verdicts);
  let query = '', found = rows, shown = 0;
  const list = el('div', {id: 'rows'}), count = el('span', {class: 'soft', role: 'status'});
  const more = el('button', {type: 'button', onclick: grow}, 'Show more');
  function grow() {
    for (const r of found.slice(shown, shown + page)) list.append(rowView(r, rows.length === 1 || r === worst));
    shown = Math.min(found.length, shown + page);
    count.textContent = commas(shown) + ' of ' + commas(found.length) + ' shown';
    more.hidden = shown >= found.length;
  }
  function apply() {
    const want = query.toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter(r => on.has(r.verdict) && want.every(w => JSON.stringify([r.subject, r.arch, r.release, r.note, (r.findings || []).map(f => [f.key, f.symbol, f.section])]).toLowerCase().includes(w)));
    list.replaceChildren();
    shown = 0;
    grow();
  }
  const chips = verdicts.map(v => el('button', {type: 'button', 'aria-pressed': 'true', onclick: e => {
    if (on.has(v)) on.delete(v); else on.add(v);
    e.currentTarget.setAttribute('aria-pressed', String(on.has(v)));
    apply();
  }}, v + ' (' + commas(rows.filter(r => r.verdict === v).length) + ')'));
  grow();
  main.append(el('h2', {id: 'compared'}, 'What was compared'),
    rows.length > 1 ? el('div', {class: 'bar'}, el('input', {type: 'search', placeholder: 'Search subjects, functions, keys', 'aria-label': 'Search rows', oninput: e => { query = e.target.value; apply(); }}), chips, count) : '',
    list, more);
}

// spaceView draws a memory space; what is smaller than a pixel is in the table.
function spaceView(space) {
  const parts = space.parts || [], width = 1000, size = Math.max(1, space.size);
  const shades = ['var(--value)', 'var(--bank)', 'var(--doubt)', 'var(--good)'];
  const drawn = svg('svg', {viewBox: `0 0 ${width} 46`, role: 'img', 'aria-label': `Memory map of ${plain(space.name)}, ${space.size} bytes`},
    svg('rect', {x: 0, y: 2, width: width, height: 26, fill: 'var(--panel)', stroke: 'var(--line)'}),
    parts.slice(0, 4000).map((p, i) => svg('rect', {x: p.offset / size * width, y: 4, width: Math.max(.5, p.size / size * width), height: 22, fill: shades[i % shades.length], 'fill-opacity': .75},
      svg('title', {}, document.createTextNode(plain(p.name) + ' at ' + hex(p.offset) + ', ' + p.size + ' bytes')))),
    svg('text', {x: 0, y: 42}, document.createTextNode('0')),
    svg('text', {x: width, y: 42, 'text-anchor': 'end'}, document.createTextNode(hex(space.size))));
  return el('details', {}, el('summary', {}, plain(space.name) + ': ' + commas(space.size) + ' bytes, ' + commas(parts.length) + (parts.length === 1 ? ' object' : ' objects')),
    el('div', {class: 'body'}, drawn, table('objects of ' + plain(space.name), ['object', 'address', 'bytes'], parts,
      p => el('tr', {}, el('td', {}, el('code', {}, plain(p.name))), el('td', {class: 'num'}, hex(p.offset)), el('td', {class: 'num'}, commas(p.size))), p => p.name)));
}

// deepest follows the calls that make a function's stack as big as it is.
function deepest(name, byName) {
  const path = [], seen = new Set();
  for (let c = byName.get(name); c && !seen.has(c.name); ) {
    seen.add(c.name);
    path.push(c);
    c = (c.calls || []).map(n => byName.get(n)).filter(Boolean).sort((a, b) => b.stack - a.stack)[0];
  }
  return path;
}

// chain shows the first calls of a path and counts the rest.
function chain(path) {
  const shown = path.slice(0, 8).map(p => plain(p.name) + ' (' + p.frame + ')').join(' → ');
  return path.length > 8 ? shown + ' → ' + commas(path.length - 8) + ' more' : shown;
}

function callsView(calls) {
  const byName = new Map(calls.map(c => [c.name, c]));
  return [el('h3', {}, 'Call graph, registers and stack'), table('functions', ['function', 'registers', 'frame', 'stack', 'why'], calls, c => {
    const path = deepest(c.name, byName);
    const why = c.unbounded ? 'cannot be statically determined: ' + plain(c.unbounded) : path.length > 1 ? chain(path) : '';
    return el('tr', {}, el('td', {}, c.kernel ? el('b', {}, el('code', {}, plain(c.name))) : el('code', {}, plain(c.name))),
      el('td', {class: 'num'}, commas(c.registers)), el('td', {class: 'num'}, commas(c.frame)), el('td', {class: 'num'}, c.unbounded ? '?' : commas(c.stack)), el('td', {}, why));
  }, c => c.name)];
}

function shape(link) {
  return el('div', {},
    link.spaces ? [el('h3', {}, 'Memory'), link.spaces.slice(0, page).map(spaceView)] : '',
    link.calls ? callsView(link.calls) : '',
    link.sections ? [el('h3', {}, 'Sections'), table('sections', ['section', 'bytes', 'other', 'bytes that differ'], link.sections, x =>
      el('tr', {class: x.changed || x.other && x.other.size !== x.size ? 'changed' : ''}, el('td', {}, el('code', {}, plain(x.name))), el('td', {class: 'num'}, commas(x.size)), el('td', {class: 'num'}, x.other ? commas(x.other.size) : ''), el('td', {class: 'num'}, x.changed ? commas(x.changed) : '')), x => x.name)] : '');
}

// capsules shows functions with a changed or unknown node open, if they are few.
function capsules(list) {
  const odd = c => (c.nodes || []).filter(n => n.state !== 'same').length;
  return el('div', {}, el('h3', {}, 'Both sides, node by node'), list.map((c, i) => {
    const n = odd(c), d = el('details', {open: n > 0 && i < 3});
    let filled = false;
    const fill = () => { if (d.open && !filled) { filled = true; d.append(capsule(c)); } };
    d.append(el('summary', {}, el('code', {}, plain(c.function)), ' ', el('span', {class: 'soft'}, commas((c.nodes || []).length) + ' nodes' + (n ? ', ' + commas(n) + ' changed or unknown' : ''))));
    d.ontoggle = fill;
    fill();
    return d;
  }));
}

function capsule(c) {
  return el('div', {class: 'body'},
    table('nodes', ['SASS', 'Mercury', 'kind', 'record', 'words'], c.nodes || [], n =>
      el('tr', {class: n.state === 'same' ? '' : n.state}, el('td', {class: 'num'}, hex(n.sass)), el('td', {class: 'num'}, hex(n.mercury)), el('td', {}, n.kind + (n.state === 'same' ? '' : ', ' + n.state)),
        el('td', {}, el('code', {}, n.record || n.tag || '')), el('td', {}, (n.words || []).map((w, i) => el('div', {}, el('code', {}, w + (n.text && n.text[i] ? '  ' + plain(n.text[i]) : '')))))), n => [n.kind, n.tag, ...(n.text || [])].join(' ')));
}

// fieldDrawing draws the word of a relocation, its highest bit at the left.
function fieldDrawing(t) {
  const cell = 7.5, width = t.bits * cell, fill = {value: 'var(--value)', bank: 'var(--bank)', flag: 'var(--flag)'};
  const x = bit => (t.bits - 1 - bit) * cell;
  const marks = [];
  for (let b = 0; b < t.bits; b += 8) marks.push(svg('text', {x: x(b) + cell / 2, y: 38, 'text-anchor': 'middle'}, document.createTextNode(b)));
  return svg('svg', {viewBox: `0 0 ${width} 60`, width: width, role: 'img', 'aria-label': (t.fields || []).map(f => `${f.role}: bits ${f.first} to ${f.first + f.width - 1}`).join('; ') || 'no field'},
    svg('rect', {x: 0, y: 4, width: width, height: 22, fill: 'var(--panel)', stroke: 'var(--line)'}),
    (t.fields || []).flatMap(f => [
      svg('rect', {x: x(f.first + f.width - 1), y: 4, width: f.width * cell, height: 22, fill: fill[f.role] || 'var(--value)', 'fill-opacity': .8}),
      svg('text', {x: x(f.first + f.width - 1), y: 54}, document.createTextNode(`${f.role} ${f.first}..${f.first + f.width - 1}`))]), marks);
}

function typeView(t) {
  return el('section', {id: 'type', tabindex: '-1'}, el('h3', {}, t.number + ' ', el('code', {}, plain(t.name))),
    el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Fields'}, fieldDrawing(t)),
    el('div', {class: 'pair'},
      t.recipe ? el('div', {}, el('h3', {}, 'Recipe of the oracle'), el('pre', {tabindex: '0'}, plain(t.recipe))) : '',
      t.descriptor ? el('div', {}, el('h3', {}, 'Descriptor of the engine'), el('pre', {tabindex: '0'}, plain(t.descriptor))) : ''),
    t.results ? el('ul', {}, t.results.map(r => el('li', {}, `${plain(r.source)}: ${commas(r.same)} of ${commas(r.total)} vectors as nvlink`, r.example ? [', first other ', el('code', {}, plain(r.example))] : ''))) : '');
}

function relocationsView() {
  const types = report.relocations || [];
  if (!types.length) return;
  const sources = [...new Set(types.flatMap(t => (t.results || []).map(r => r.source)))];
  const chosen = el('div', {'aria-live': 'polite'});
  const body = el('tbody');
  let query = '', only = false;
  const right = t => (t.results || []).every(r => r.same === r.total);
  function apply() {
    body.replaceChildren(...types.filter(t => (!only || !right(t)) && (t.number + ' ' + t.name).toLowerCase().includes(query)).map(t => el('tr', {},
      el('td', {}, el('button', {type: 'button', onclick: () => { chosen.replaceChildren(typeView(t)); chosen.firstChild.focus(); }}, el('code', {}, t.number + ' ' + plain(t.name)))),
      sources.map(s => {
        const r = (t.results || []).find(r => r.source === s);
        if (!r || !r.total) return el('td', {class: 'calm'}, '–');
        return el('td', {class: r.same === r.total ? 'good' : r.same ? 'doubt' : 'bad'}, r.same === r.total ? commas(r.total) : commas(r.same) + '/' + commas(r.total));
      }))));
  }
  apply();
  main.append(el('h2', {id: 'relocations'}, 'Relocation types'),
    el('p', {class: 'soft'}, 'How many vectors of a type each source answers as nvlink does. Choose a type to see its fields.'),
    el('div', {class: 'bar'}, el('input', {type: 'search', placeholder: 'Search types', 'aria-label': 'Search types', oninput: e => { query = e.target.value.toLowerCase(); apply(); }}),
      el('button', {type: 'button', 'aria-pressed': 'false', onclick: e => { only = !only; e.currentTarget.setAttribute('aria-pressed', String(only)); apply(); }}, 'Only those with a difference')),
    chosen, el('div', {class: 'scroll matrix', tabindex: '0', role: 'region', 'aria-label': 'Relocation types by source'},
      el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'type'), sources.map(s => el('th', {scope: 'col'}, plain(s))))), body)));
}

main.append(figures(report.figures) || '');
rowsView();
relocationsView();

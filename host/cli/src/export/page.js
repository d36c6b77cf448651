
'use strict';
{
  const CLASSES = ['refused', 'failure', 'asked', 'changed', 'ran', 'said-mark', 'passed', 'watched'];
  const NAMES = ['refused', 'failed', 'asked', 'changed', 'done or allowed', 'said', 'nothing to say', 'watched'];
  const SIGNS = ['✕', '!', '?', '~', '▸', '“', '·', 'o'];
  const SLOT = 30; // The room of a mark, in pixels.
  const PAUSE = 1000; // A pause that is shown as one, in milliseconds.
  const PAUSE_WIDTH = 46;
  const WIDEST = 8000000; // Browsers draw no wider than this.
  const PAGE = 50; // So many of a mark's crossings are listed at a time.

  const $ = id => document.getElementById(id);
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const data = JSON.parse($('data').textContent);
  const all = data.marks.map((m, index) => ({
    index, n: m[0], time: m[1], took: m[2], lane: m[3], kind: m[4], place: m[5], words: m[6], shadow: m[7] === 1, call: m[8], entry: m[9],
  }));
  const LATEST = 8.64e15; // A time beyond is none that a browser knows.
  const clock = time => new Date(Math.min(time, LATEST)).toISOString().slice(-13, -1);
  const length = ms => ms < 1000 ? `${Math.round(ms)} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s`
    : ms < 3600000 ? `${Math.floor(ms / 60000)} min ${Math.round(ms / 1000) % 60} s` : `${Math.floor(ms / 3600000)} h ${Math.round(ms / 60000) % 60} min`;
  const took = micros => micros < 1000 ? `${micros} µs` : micros < 10000 ? `${(micros / 1000).toFixed(1)} ms` : length(micros / 1000);
  const who = mark => data.lanes[mark.lane][0];
  const told = mark => `${mark.shadow ? 'in shadow mode, without effect: ' : ''}${data.texts[mark.words]}`;

  const shown = new Set(CLASSES.keys());
  let scale = 'order', zoom = 1, marks = [], lanes = [], order = [], ruler = null, width = 0, current = 0, selected = null, from = 0;

  // Where each mark stands, at a zoom of 1 just as wide as there is room.
  function places() {
    const room = Math.max(280, $('scroll').clientWidth) - SLOT;
    if (scale === 'clock') {
      const first = marks.reduce((least, mark) => Math.min(least, mark.time), Infinity);
      const last = marks.reduce((most, mark) => Math.max(most, mark.time), 0);
      const perMs = room * zoom / Math.max(1, last - first);
      let at = 0;
      for (const mark of marks) { at = Math.max(at, SLOT / 2 + (mark.time - first) * perMs); mark.x = at; }
      return { width: room * zoom + SLOT, perMs, pauses: [], most: WIDEST / room };
    }
    const gaps = marks.map((mark, i) => i > 0 && mark.time - marks[i - 1].time >= PAUSE);
    const count = gaps.filter(Boolean).length;
    const full = marks.length * SLOT + count * PAUSE_WIDTH;
    const by = Math.min(1, zoom * room / Math.max(1, full));
    const pauses = [];
    let x = SLOT / 2;
    marks.forEach((mark, i) => {
      if (gaps[i]) {
        pauses.push({ x: x - SLOT * by / 2, width: PAUSE_WIDTH * by, ms: mark.time - marks[i - 1].time });
        x += PAUSE_WIDTH * by;
      }
      mark.x = x;
      x += SLOT * by;
    });
    return { width: Math.max(room + SLOT, x), pauses, most: Math.max(1, full / room) };
  }

  // Marks of a lane that would stand on one another become one.
  function group() {
    const layout = places();
    width = layout.width;
    lanes = data.lanes.map((_, lane) => ({ lane, groups: [] }));
    for (const mark of marks) {
      const groups = lanes[mark.lane].groups;
      const last = groups[groups.length - 1];
      if (last && mark.x - last.x < SLOT - 4) last.marks.push(mark);
      else groups.push({ x: mark.x, lane: mark.lane, marks: [mark] });
    }
    lanes = lanes.filter(lane => lane.groups.length > 0);
    lanes.forEach((lane, row) => lane.groups.forEach(group => { group.row = row; group.kind = Math.min(...group.marks.map(mark => mark.kind)); }));
    order = lanes.flatMap(lane => lane.groups).sort((one, other) => one.marks[0].index - other.marks[0].index);
    order.forEach((group, index) => { group.index = index; });
    return layout;
  }

  let layout = null;
  function redraw(keep) {
    marks = all.filter(mark => shown.has(mark.kind));
    layout = group();
    zoom = Math.min(zoom, layout.most);
    if (keep) current = Math.max(0, order.findIndex(group => group.marks.includes(keep)));
    current = Math.min(current, Math.max(0, order.length - 1));
    const track = $('track');
    track.replaceChildren();
    track.style.width = `${Math.ceil(width)}px`;
    ruler = make('div', 'ruler');
    ruler.setAttribute('aria-hidden', 'true');
    track.append(ruler);
    for (const lane of lanes) {
      lane.element = make('div', 'lane');
      const silent = lane.groups.every(group => group.marks.every(mark => mark.shadow));
      lane.element.append(make('b', '', data.lanes[lane.lane][0] + (silent ? ' (shadow: without effect)' : '')));
      track.append(lane.element);
    }
    $('scale-note').textContent = note();
    $('in').disabled = zoom >= layout.most;
    $('out').disabled = $('fit').disabled = zoom <= 1;
    if (keep && order[current]) $('scroll').scrollLeft = order[current].x - $('scroll').clientWidth / 2;
    drawInSight();
  }

  function note() {
    const joined = marks.length > order.length ? ` ${(marks.length - order.length).toLocaleString('en')} of ${marks.length.toLocaleString('en')} marks share a place with others, and 2/16 means that two of sixteen are of the sign that is shown; zoom in, or press Enter on one for its list.` : '';
    return scale === 'order'
      ? `Times are UTC. Marks stand in the order in which they were recorded, whatever the time between; a pause of a second or more is hatched. The bar under a mark is how long it took: each step from 1 µs to 10 s is ten times the one before.${joined}`
      : `Times are UTC. Marks stand at the time they were recorded. The bar at a mark is how long it took.${joined}`;
  }

  // Draws what is in sight, and a little more.
  let drawn = [NaN, NaN];
  function drawInSight() {
    const { scrollLeft, clientWidth } = $('scroll');
    const [low, high] = [scrollLeft - clientWidth, scrollLeft + 2 * clientWidth];
    drawn = [scrollLeft, clientWidth];
    const focused = document.activeElement && document.activeElement.group;
    for (const lane of lanes) {
      for (const old of [...lane.element.querySelectorAll('.mark, .bar')]) old.remove();
      for (const group of lane.groups) {
        if (group.x >= low && group.x <= high || group.index === current) draw(group, lane.element);
      }
    }
    ticks(low, high);
    if (focused && order[current]) order[current].element.focus({ preventScroll: true });
  }

  function draw(group, lane) {
    const first = group.marks[0], many = group.marks.length;
    const button = make('button', `mark ${CLASSES[group.kind]}`);
    button.type = 'button';
    button.style.left = `${group.x}px`;
    button.tabIndex = group.index === current ? 0 : -1;
    button.group = group;
    button.append(make('i', '', SIGNS[group.kind]));
    if (many > 1) button.append(make('span', 'many', share(group)));
    else if (first.took >= 0 && scale === 'order') {
      const bar = make('u');
      bar.style.width = `${Math.round(3 + Math.min(7, Math.log10(Math.max(1, first.took))) * (SLOT - 6) / 7)}px`;
      button.append(bar);
    }
    if (group.marks.every(mark => mark.shadow)) button.classList.add('ghost');
    button.setAttribute('aria-label', label(group));
    button.setAttribute('aria-current', String(group === selected));
    group.element = button;
    lane.append(button);
    if (scale === 'clock') for (const mark of group.marks.slice(0, 20)) bar(mark, lane);
  }

  // How many marks stand there; if not all are of the sign that is shown, how many of them are.
  function share(group) {
    const many = group.marks.length, same = group.marks.filter(mark => mark.kind === group.kind).length;
    return same === many ? `×${many.toLocaleString('en')}` : `${same}/${many.toLocaleString('en')}`;
  }

  function bar(mark, lane) {
    const wide = mark.took / 1000 * layout.perMs;
    if (!(wide >= 1)) return;
    const element = make('span', 'bar');
    const starts = data.lanes[mark.lane][1] === 'tools' ? mark.x : mark.x - wide;
    element.style.left = `${Math.max(0, starts)}px`;
    element.style.width = `${wide}px`;
    lane.append(element);
  }

  function label(group) {
    if (group.marks.length === 1) return sentence(group.marks[0]);
    return `${who(group.marks[0])}, ${group.marks.length} marks: ${counts(group)}`;
  }

  function counts(group) {
    const count = new Map();
    for (const mark of group.marks) count.set(mark.kind, (count.get(mark.kind) || 0) + 1);
    return [...count].sort((one, other) => one[0] - other[0]).map(([kind, count]) => `${count} ${NAMES[kind]}`).join(', ');
  }

  function sentence(mark) {
    const where = mark.kind === 5 ? '' : ` at ${data.texts[mark.place]}`;
    return `${who(mark)}${where}: ${told(mark)}. ${clock(mark.time)}${mark.took >= 0 ? `, took ${took(mark.took)}` : ''}`;
  }

  function ticks(low, high) {
    ruler.replaceChildren();
    for (const pause of layout.pauses) {
      if (pause.x + pause.width < low || pause.x > high || pause.width < 3) continue;
      const element = make('div', 'pause');
      element.style.left = `${pause.x}px`;
      element.style.width = `${pause.width}px`;
      element.style.top = '0';
      element.style.height = `${$('track').clientHeight}px`;
      if (pause.width > 30) element.append(make('span', '', length(pause.ms)));
      ruler.append(element);
    }
    let next = -Infinity;
    for (const mark of marks) {
      if (mark.x < next || mark.x < low) continue;
      if (mark.x > high) break;
      const tick = make('span', 'tick', scale === 'order' ? clock(mark.time).slice(0, 8) : clock(mark.time));
      tick.style.left = `${mark.x}px`;
      ruler.append(tick);
      next = mark.x + 110;
    }
  }

  // What is said of a mark, or of several.
  function tell(group, start = 0) {
    const panel = $('panel');
    panel.replaceChildren();
    if (!group) {
      panel.append(make('p', 'note', marks.length > 0 ? 'Point at a mark, tap it, or go to it with the keys: it says here who decided what, when, and how long it took.' : 'There is nothing to show.'));
      return;
    }
    from = start;
    const many = group.marks.length;
    if (many > 1) {
      const [first, last] = [group.marks[0], group.marks[many - 1]];
      panel.append(make('p', '', `${many.toLocaleString('en')} marks of ${who(first)}, ${clock(first.time)} to ${clock(last.time)}: ${counts(group)}.`));
    }
    const list = make('ol');
    for (const mark of group.marks.slice(start, start + PAGE)) list.append(item(mark));
    panel.append(list);
    if (many > 1) panel.append(row(group, start));
  }

  function item(mark) {
    const li = make('li', `${mark.shadow ? 'ghost ' : ''}${CLASSES[mark.kind]}`);
    li.dataset.mark = String(mark.index);
    const i = make('span', 'sign', SIGNS[mark.kind]);
    const place = mark.kind === 5 ? '' : `${data.texts[mark.place]} · `;
    const long = mark.took >= 0 ? ` · took ${took(mark.took)}` : '';
    const record = mark.n >= 0 ? ` · record ${mark.n} of the journal` : '';
    li.append(i, ' ', make('b', '', who(mark)), ' ', told(mark), ' ', make('small', '', `${place}${clock(mark.time)} UTC${long}${record} · `));
    const target = $(`x${mark.n}`) || $(`c${mark.call}`) || $(`e${mark.entry}`);
    if (target) {
      const link = make('a', '', 'in the conversation');
      link.href = `#${target.id}`;
      link.addEventListener('click', () => open(target));
      li.append(link);
    } else if (mark.call < 0 && mark.entry < 0) li.append(make('small', '', 'not in the conversation shown'));
    return li;
  }

  function row(group, start) {
    const row = make('div', 'row');
    const add = (text, act) => { const button = make('button', '', text); button.type = 'button'; button.addEventListener('click', act); row.append(button); };
    if (zoom < layout.most) add('Zoom in here', () => { const mark = group.marks[0]; zoomTo(zoom * 8, mark); tell(order[current]); select(order[current]); });
    if (start > 0) add(`Earlier ${PAGE}`, () => tell(group, start - PAGE));
    if (start + PAGE < group.marks.length) add(`Next ${Math.min(PAGE, group.marks.length - start - PAGE)}`, () => tell(group, start + PAGE));
    return row;
  }

  function open(target) {
    for (let element = target.parentElement; element; element = element.parentElement) {
      if (element.tagName === 'DETAILS') element.open = true;
    }
  }

  function select(group) {
    if (selected && selected.element) selected.element.setAttribute('aria-current', 'false');
    selected = group;
    if (group && group.element) group.element.setAttribute('aria-current', 'true');
    tell(group);
  }

  function go(index, focus) {
    if (!order[index]) return;
    const group = order[index], scroll = $('scroll');
    if (order[current] && order[current].element) order[current].element.tabIndex = -1;
    current = index;
    select(group);
    const isOut = group.x < scroll.scrollLeft + SLOT || group.x > scroll.scrollLeft + scroll.clientWidth - SLOT;
    if (isOut) scroll.scrollLeft = group.x - scroll.clientWidth / 2;
    if (isOut || !group.element || !group.element.isConnected) drawInSight();
    group.element.tabIndex = 0;
    if (focus) group.element.focus({ preventScroll: true });
  }

  // The mark of another lane that is nearest.
  function across(step) {
    const here = order[current], lane = lanes[here.row + step];
    if (!lane) return;
    go(lane.groups.reduce((best, group) => Math.abs(group.x - here.x) < Math.abs(best.x - here.x) ? group : best).index, true);
  }

  function zoomTo(to, keep) {
    zoom = Math.max(1, Math.min(to, layout.most));
    selected = null;
    redraw(keep || middle());
  }

  function middle() {
    const { scrollLeft, clientWidth } = $('scroll'), at = scrollLeft + clientWidth / 2;
    if (document.activeElement && document.activeElement.group && order[current]) return order[current].marks[0];
    return marks.reduce((best, mark) => !best || Math.abs(mark.x - at) < Math.abs(best.x - at) ? mark : best, null);
  }

  const KEYS = {
    ArrowRight: () => go(current + 1, true), ArrowLeft: () => go(current - 1, true),
    ArrowDown: () => across(1), ArrowUp: () => across(-1),
    Home: () => go(0, true), End: () => go(order.length - 1, true),
    '+': () => focused(2), '=': () => focused(2), '-': () => focused(.5), '0': () => focused(0),
    Enter: () => { select(order[current]); const link = $('panel').querySelector('a, button'); if (link) link.focus(); },
  };
  function focused(by) { zoomTo(zoom * by, order[current].marks[0]); go(current, true); }

  function legend() {
    CLASSES.forEach((name, kind) => {
      const count = all.filter(mark => mark.kind === kind).length;
      const silent = kind === 7 ? 0 : all.filter(mark => mark.kind === kind && mark.shadow).length;
      if (count === 0) return;
      const label = make('label', name), box = make('input');
      box.type = 'checkbox';
      box.checked = true;
      box.addEventListener('change', () => { if (box.checked) shown.add(kind); else shown.delete(kind); selected = null; redraw(middle()); tell(null); });
      label.append(box, make('i', '', SIGNS[kind]), ` ${NAMES[kind]} (${count.toLocaleString('en')}${silent > 0 ? `, ${silent.toLocaleString('en')} of them without effect` : ''})`);
      $('legend').append(label);
    });
  }

  $('plain').remove();
  $('board').hidden = false;
  legend();
  redraw();
  tell(null);
  const track = $('track');
  const pointed = event => event.target.closest('.mark');
  track.addEventListener('click', event => { const mark = pointed(event); if (mark) go(mark.group.index, true); });
  track.addEventListener('pointerover', event => { const mark = pointed(event); if (mark && event.pointerType === 'mouse') tell(mark.group); });
  track.addEventListener('pointerleave', () => tell(selected));
  track.addEventListener('focusin', event => { const mark = pointed(event); if (mark && mark.group !== selected) go(mark.group.index, false); });
  track.addEventListener('keydown', event => {
    if (!pointed(event) || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  $('in').addEventListener('click', () => zoomTo(zoom * 2));
  $('out').addEventListener('click', () => zoomTo(zoom / 2));
  $('fit').addEventListener('click', () => zoomTo(1));
  for (const radio of document.querySelectorAll('input[name=scale]')) {
    radio.addEventListener('change', () => { scale = radio.value; zoom = 1; selected = null; redraw(); tell(null); });
  }
  $('scroll').addEventListener('scroll', () => { if (Math.abs($('scroll').scrollLeft - drawn[0]) > drawn[1] / 2) requestAnimationFrame(drawInSight); });
  new ResizeObserver(() => { if ($('scroll').clientWidth !== drawn[1]) redraw(middle()); }).observe($('scroll'));
  document.addEventListener('click', event => {
    const link = event.target.closest('a[data-n]');
    const index = link ? order.findIndex(group => group.marks.some(mark => mark.n === Number(link.dataset.n))) : -1;
    if (index >= 0) { go(index, false); select(order[index]); }
  });
}

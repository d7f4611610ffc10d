/**
 * Sorts and refines rows, says how long ago a time is, and adds the local time to what the pointer shows. Without it, everything can be
 * read: the worst first, with times in UTC. What a reader chose outlives the reload of the page.
 */
// By the ID of a table: its sorted column, and 1 or -1. Of the field: `text`, `isTyping`, and the `address` of the page.
const chosen = JSON.parse(sessionStorage.getItem('chosen') ?? '{}');
const keep = (change) => {
  sessionStorage.setItem('chosen', JSON.stringify(Object.assign(chosen, change)));
};

// Words and numbers: ap-guangzhou-4 is before ap-guangzhou-10, and 200 before 1,250.
const order = new Intl.Collator('en', { numeric: true });

const sort = ({ tBodies: [body], tHead }, column, sign) => {
  const heads = tHead.rows[0].cells;
  const textOf = ({ cells: { [column]: cell } }) =>
    cell.querySelector(':scope > time')?.dateTime ??
    cell.textContent.trim().replaceAll(/[,<]/g, '');
  body.append(...[...body.rows].sort((a, b) => sign * order.compare(textOf(a), textOf(b))));
  for (const head of heads) head.ariaSort = null;
  heads[column].ariaSort = sign > 0 ? 'ascending' : 'descending';
};

const tables = [...document.querySelectorAll('table.rows')];
for (const table of tables) {
  const { id } = table.closest('section');
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement('button');
    button.textContent = head.textContent.trim();
    button.onclick = () => {
      keep({ [id]: [head.cellIndex, head.ariaSort === 'ascending' ? -1 : 1] });
      sort(table, ...chosen[id]);
    };
    head.replaceChildren(button);
  }
  if (chosen[id]) sort(table, ...chosen[id]);
}

const field = document.querySelector('#refine');
const refine = () => {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const row of tables.flatMap((table) => [...table.tBodies[0].rows])) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  const isNone =
    field.value.trim() !== '' && !document.querySelector('.rows tbody tr:not([hidden])');
  const output = field.closest('label').querySelector('output');
  output.textContent = isNone ? output.dataset.none : '';
  keep({ text: field.value, isTyping: document.activeElement === field });
};
if (field) {
  field.closest('label').hidden = false;
  // What was typed outlives the reload of the page, but not a way to another one.
  field.value = chosen.address === location.search ? (chosen.text ?? '') : '';
  keep({ address: location.search });
  if (chosen.isTyping) field.focus();
  field.oninput = field.onblur = field.onfocus = refine;
  refine();
}

const { lang } = document.documentElement;
const ago = new Intl.RelativeTimeFormat(lang, { style: 'narrow' });
const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };
const showAges = () => {
  // The time of the page itself stays as it is.
  for (const time of document.querySelectorAll('time:not(footer time)')) {
    const ms = new Date(time.dateTime) - Date.now();
    const fits = ([, unitMs]) => Math.abs(ms) >= 2 * unitMs;
    const [unit, unitMs] = Object.entries(units).find(fits) ?? ['second', 1_000];
    const value = Math.round(ms / unitMs);
    time.textContent = ago.format(value, unit);
    const { parentElement: parent } = time;
    // "since" a time becomes "for" a while, with the time for the pointer.
    if (parent.dataset.for === undefined) continue;
    const span = new Intl.NumberFormat(lang, { style: 'unit', unit }).format(-value);
    time.textContent = parent.dataset.for.replace('{time}', span);
    parent.replaceChildren(time);
  }
};
for (const time of document.querySelectorAll('time')) {
  time.title += ` · ${new Date(time.dateTime).toLocaleString(lang, { timeZoneName: 'short' })}`;
}
showAges();
setInterval(showAges, 10_000);

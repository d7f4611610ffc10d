/**
 * Sorts and refines rows, says how long ago a time is, and adds the local time to what the pointer shows. Without it, everything can be
 * read: the worst first, with times in UTC. What a reader chose outlives the reload of the page.
 */
const chosen = JSON.parse(sessionStorage.getItem('chosen') ?? '{}');
const keep = (change) => {
  sessionStorage.setItem('chosen', JSON.stringify(Object.assign(chosen, change)));
};

// Words and numbers: ap-guangzhou-4 is before ap-guangzhou-10, and 200 before 1,250.
const order = new Intl.Collator('en', { numeric: true });

const sort = ({ tBodies: [body], tHead }, column, sign) => {
  const heads = [...tHead.rows[0].cells];
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
  field.closest('label').querySelector('output').textContent = isNone
    ? 'no row has these words'
    : '';
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

const times = [...document.querySelectorAll('time')];
const agoOf = (ms) => {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 };
  const [name, unitMs] = Object.entries(units).find(([, each]) => Math.abs(ms) >= 2 * each) ?? [
    's',
    1_000,
  ];
  const span = `${Math.round(Math.abs(ms) / unitMs)} ${name}`;
  return ms < 0 ? `in ${span}` : `${span} ago`;
};
/** The times after `since`, of which the page then says for how long. */
const begins = new Set(
  times.filter(({ previousSibling: before }) => /since\s*$/.test(before?.data)),
);
for (const { previousSibling: before } of begins)
  before.data = before.data.replace(/since\s*$/, 'for ');
// The time of the page itself stays as it is.
const tell = () => {
  for (const time of times.filter((each) => !each.closest('footer'))) {
    const text = agoOf(Date.now() - new Date(time.dateTime));
    time.textContent = begins.has(time) ? text.replace(' ago', '') : text;
  }
};
for (const time of times) time.title += `, here ${new Date(time.dateTime).toLocaleString()}`;
tell();
setInterval(tell, 10_000);

/**
 * The script of the page: it sorts and refines rows, and shows local times. Without it, everything can be read: the
 * worst first, with times in UTC. Its hash is part of the policy of the page. What a reader chose outlives the reload
 * of the page.
 */
export const script = `
const chosen = JSON.parse(sessionStorage.getItem('chosen') ?? '{}');
const keep = (change) => sessionStorage.setItem('chosen', JSON.stringify(Object.assign(chosen, change)));
const button = (text, onClick) => {
  const made = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
  made.addEventListener('click', () => onClick(made));
  return made;
};
const tables = [...document.querySelectorAll('table.rows')];
const valueOf = (row, i, isNumber) => {
  const text = row.cells[i].textContent.trim();
  if (!isNumber) return text === '–' ? null : text;
  const value = parseFloat(text.replaceAll(',', '').replace('<1', '0.5'));
  return Number.isNaN(value) ? null : value;
};
const sort = (table, i, sign) => {
  const head = table.tHead.rows[0].cells[i];
  const rows = [...table.tBodies[0].rows].map((row) => [row, valueOf(row, i, head.matches('.number'))]);
  rows.sort(([, a], [, b]) => (a === null || b === null ? (a === null) - (b === null) : a < b ? -sign : a > b ? sign : 0));
  for (const [row] of rows) table.tBodies[0].append(row);
  for (const each of table.tHead.rows[0].cells) each.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
};
for (const table of tables) {
  const key = table.closest('section').id;
  [...table.tHead.rows[0].cells].forEach((head, i) => {
    head.replaceChildren(button(head.textContent, () => {
      const sign = head.ariaSort === 'ascending' ? -1 : 1;
      keep({ [key]: [i, sign] });
      sort(table, i, sign);
    }));
  });
  if (chosen[key]) sort(table, ...chosen[key]);
}
const field = document.querySelector('#refine');
const refine = () => {
  const words = field.value.toLowerCase().split(/\\s+/);
  for (const table of tables) {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }
  keep({ text: field.value, isTyping: document.activeElement === field });
};
if (field) {
  field.closest('label').hidden = false;
  field.value = chosen.text ?? '';
  if (chosen.isTyping) field.focus();
  for (const event of ['input', 'blur', 'focus']) field.addEventListener(event, refine);
  refine();
}
const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
for (const time of chosen.isLocal ? document.querySelectorAll('time') : []) {
  const exact = clock.format(new Date(time.dateTime));
  const short = time.textContent.length > 5 ? exact.slice(0, 16) : exact.slice(11, 16);
  time.textContent = time.matches('.exact') ? exact : short;
  time.title = time.dateTime;
}
document.querySelector('footer p')?.append(' ', button(chosen.isLocal ? 'Times in UTC' : 'Times in local time', () => {
  keep({ isLocal: !chosen.isLocal });
  location.reload();
}));
`;

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
// Words and numbers: ap-guangzhou-4 is before ap-guangzhou-10, and 200 before 1,250.
const order = new Intl.Collator('en', { numeric: true });
const sort = (table, i, sign) => {
  const head = table.tHead.rows[0].cells[i];
  const textOf = (row) => row.cells[i].textContent.trim().replaceAll(/[,<]/g, '');
  const rows = [...table.tBodies[0].rows];
  table.tBodies[0].append(...rows.sort((a, b) => sign * order.compare(textOf(a), textOf(b))));
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
  time.textContent = clock.format(new Date(time.dateTime));
}
document.querySelector('footer p')?.append(' ', button(chosen.isLocal ? 'Times in UTC' : 'Times in local time', () => {
  keep({ isLocal: !chosen.isLocal });
  location.reload();
}));
`;

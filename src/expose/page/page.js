/**
 * Sorts and refines rows, and adds the local time to what the pointer shows at a time. Without it, everything can be
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
  const textOf = (row) => row.cells[column].textContent.trim().replaceAll(/[,<]/g, '');
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
  keep({ text: field.value, isTyping: document.activeElement === field });
};
if (field) {
  field.closest('label').hidden = false;
  field.value = chosen.text ?? '';
  if (chosen.isTyping) field.focus();
  field.oninput = field.onblur = field.onfocus = refine;
  refine();
}

for (const time of document.querySelectorAll('time')) {
  time.title += `, here ${new Date(time.dateTime).toLocaleString()}`;
}

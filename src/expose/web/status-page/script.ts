/**
 * The script of the pages. Without it, everything can be read: times are in UTC, and a RequestId is selected by
 * hand. Its hash is part of the policy of the pages.
 */
export const script = `
const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });
const local = (date) => {
  const name = zone.formatToParts(date).find(({ type }) => type === 'timeZoneName');
  return clock.format(date) + ' ' + name.value;
};
if (document.documentElement.dataset.time === 'local') {
  for (const time of document.querySelectorAll('time')) {
    const text = local(new Date(time.dateTime));
    if (time.className === 'exact') time.textContent = text;
    else time.title = text;
  }
}
const copy = async (code) => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  document.execCommand('copy');
};
for (const code of document.querySelectorAll('code.request-id')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy RequestId ' + code.textContent);
  button.addEventListener('click', async () => {
    await copy(code);
    button.textContent = 'Copied';
  });
  code.after(' ', button);
}
`;

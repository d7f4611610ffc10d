import { expect, test } from 'vitest';
import { fillLink, runbookLink } from '../../../src/model/links.ts';

const values = { account: 'a&b/c', region: 'ap-x', zone: null, quota_type: '{region} "<' };

test('a link has the values of a row, encoded; an absent one is empty', () => {
  const link =
    'https://g/d/{region}?a={account}&a={account}&z={zone}&t={quota_type}&i={template_id}';

  expect(fillLink(link, values)).toBe(
    'https://g/d/ap-x?a=a%26b%2Fc&a=a%26b%2Fc&z=&t=%7Bregion%7D%20%22%3C&i=',
  );
  expect(new URL(fillLink(link, values)).searchParams.getAll('a')).toEqual(['a&b/c', 'a&b/c']);
});

test.each([
  ['https://x/runbooks', 'https://x/runbooks/CvmQuotaLow.md'],
  ['https://x/runbooks/', 'https://x/runbooks/CvmQuotaLow.md'],
  ['https://x/{region}', 'https://x/ap-x/CvmQuotaLow.md'],
])('a runbook of %s is %s', (folder, link) => {
  expect(runbookLink(folder, 'CvmQuotaLow', values)).toBe(link);
});

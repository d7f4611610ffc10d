import { expect, test } from 'vitest';
import { formatFor, textsFor } from '../../../../src/expose/metrics/negotiate.ts';
import { rowsOf } from '../../../support/rows.ts';

test.each(rowsOf<[string | null, string]>('expose', 'accepted-formats'))(
  'the format for Accept %j is %s',
  (accept, format) => {
    expect(formatFor(accept ?? undefined)).toBe(format);
  },
);

test.each([
  ['', undefined, 'en', {}],
  ['', 'zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN', {}],
  ['', 'en;q=0.5,zh-Hans;q=0.6', 'zh-CN', {}],
  ['', 'fr,zh;q=0.1', 'zh-CN', {}],
  ['', 'zh;q=0,en;q=0.1', 'en', {}],
  ['', 'fr', 'en', {}],
  ['lang=en', 'zh', 'en', { lang: 'en' }],
  ['account=x&lang=zh-CN', 'en', 'zh-CN', { lang: 'zh-CN' }],
  ['lang=fr', 'zh', 'zh-CN', {}],
])('the page at ?%s, for who accepts %j, speaks %s', (query, accepted, language, parameters) => {
  expect(textsFor(query, accepted)).toMatchObject({ language, parameters });
});

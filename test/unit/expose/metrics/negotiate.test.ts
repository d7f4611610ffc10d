import { expect, test } from 'vitest';
import { formatFor, textsFor } from '../../../../src/expose/metrics/negotiate.ts';

test.each([
  [undefined, 'prometheus'],
  ['', 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'prometheus'],
  // As Prometheus sends it.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  ['Application/OpenMetrics-Text; version=1.0.0', 'openmetrics'],
  ['application/openmetrics-text;q=0.1,text/plain', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  [';;;,,,q=', 'prometheus'],
])('the format for Accept %j is %s', (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

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

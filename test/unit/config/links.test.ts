import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const withLinks = (links: string) => `links: ${links}\naccounts: [{ name: a, regions: [ap-x] }]`;

test('links are kept with their placeholders', () => {
  const grafana = 'https://g.example.com:3000/d/q?var-account={account}&z={zone}';
  const links = `{ grafana: "${grafana}", runbooks: "http://x/{region}/" }`;

  expect(parseConfig(withLinks(links), 'f', collectors).links).toEqual({
    grafana,
    runbooks: 'http://x/{region}/',
  });
});

const wrong = 'expected http:// or https:// and a host without placeholders, user or password';
const unknown =
  'unknown placeholder; expected {account}, {region}, {zone}, {quota_type}, {template_id}';
test.each([
  ['of another scheme', 'javascript:alert(1)//', wrong],
  ['without a scheme', '//g/d', wrong],
  ['without a host', 'https:///d', wrong],
  ['with a placeholder as its host', 'https://{account}.x/', wrong],
  ['with a password', 'https://user:pw@g/', wrong],
  ['with a space in its host', 'https://g x/', wrong],
  ['with a port that is none', 'https://g:x/', wrong],
  ['with a misspelt placeholder', 'https://g/{acount}', unknown],
  ['with a brace that is not closed', 'https://g/{account', unknown],
  ['with an empty placeholder', 'https://g/{}', unknown],
  [
    'with a SecretId',
    'https://g/?k=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
    'looks like a secret: links are shown on the page',
  ],
])('a link is refused %s', (_what, link, problem) => {
  expect(problemsOf(withLinks(`{ grafana: "${link}" }`))).toEqual([
    `1:19: links.grafana: ${problem}`,
  ]);
});

test('a link is refused if it is the folder of the runbooks and has a query', () => {
  expect(problemsOf(withLinks('{ runbooks: "https://x/?a" }'))).toEqual([
    '1:20: links.runbooks: must not have a query or a fragment: the name of a runbook follows it',
  ]);
});

/** docs/service.md is true of itself, of the client and of the emulator. */
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retryRule } from '../../../src/api/retry.ts';
import { repository } from '../../support/docs/markdown.ts';

const page = readFileSync(join(repository, 'docs/service.md'), 'utf8');

/** The text of a section, by its number. */
function section(number: string): string {
  const [, rest = ''] = page.split(new RegExp(`^#+ ${number}\\.? .*$`, 'm'));
  return rest.split(/^#+ /m)[0]!;
}

/** The rows of a section's tables, as trimmed cells. */
function rowsOf(number: string): readonly (readonly string[])[] {
  return [...section(number).matchAll(/^\| (.*) \|$/gm)].map(([, row]) =>
    row!.split(' | ').map((cell) => cell.trim()),
  );
}

const codesOf = (cell = '') => [...cell.matchAll(/`([\w.*]+)`/g)].map(([, code]) => code!);

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each(rowsOf('4.3').filter(([scheme]) => scheme!.startsWith('Hmac')))(
  'the test vectors %s gives the signature',
  (scheme, signed, signature) => {
    const algorithm = scheme.slice('Hmac'.length);
    const digest = createHmac(algorithm, 'example-key').update(codeIn(signed)).digest('base64');

    expect(digest).toBe(codeIn(signature));
  },
);

test.each(rowsOf('4.3').filter(([scheme]) => scheme!.startsWith('TC3')))(
  'the test vectors %s of %s gives the signature',
  (_scheme, query, signature) => {
    const sent = query.startsWith('the query') ? codeIn(query) : '';
    const canonical = `GET\n/\n${sent}\ncontent-type:application/x-www-form-urlencoded\nhost:cvm.tencentcloudapi.com\n\ncontent-type;host\n${sha256('')}`;
    const toSign = `TC3-HMAC-SHA256\n1700000000\n2023-11-14/cvm/tc3_request\n${sha256(canonical)}`;
    const dateKey = hmac('TC3example-key', '2023-11-14').digest();
    const key = hmac(hmac(dateKey, 'cvm').digest(), 'tc3_request').digest();

    expect(hmac(key, toSign).digest('hex')).toBe(codeIn(signature));
  },
);

/** What stands in the first backquotes of a cell. */
function codeIn(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? '';
}

const documented = ['5.4', '6.5', '9', '16.4'].flatMap(rowsOf).flatMap(([codes]) => codesOf(codes));

test('the error codes include those that the emulator answers', () => {
  const folder = join(repository, 'src/emulator');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const form = /'((?:Auth|Invalid|Missing|Unauth|Unknown|Unsupp|NoSuch|Request|Resource)[\w.]*)'/g;
  const written = sources.flatMap((text) => [...text.matchAll(form)].map(([, code]) => code!));
  const notCodes = [
    /^(RequestClient|RequestId|Authorization|InvalidInputError)$/,
    /^ResourcesSoldOut\./,
  ];
  const answered = written.filter((code) => !notCodes.some((name) => name.test(code)));
  expect(answered.length).toBeGreaterThan(50);
  const families = documented.filter((code) => code.endsWith('*'));
  const isCovered = (code: string) =>
    documented.includes(code) || families.some((family) => code.startsWith(family.slice(0, -1)));

  expect(answered.filter((code) => !isCovered(code))).toEqual([]);
});

const decisions = rowsOf('9').flatMap(([codes, decision = '']) =>
  /tries|gives up/.test(decision) ? codesOf(codes).map((code) => [code, decision] as const) : [],
);

test.each(decisions)('the error codes the client treats %s as documented: %s', (code, decision) => {
  const rule = retryRule(code.replace(/\.?\*$/, ''));

  if (decision.startsWith('gives up')) expect(rule).toBe('never');
  else if (decision.startsWith('tries once more, with a new')) expect(rule).toBe('resign');
  else if (decision.startsWith('tries once more')) expect(rule).toBe('renew');
  else expect(['never', 'resign', 'renew']).not.toContain(rule);
});

test('every section that a comment cites is there', () => {
  const sections = new Set(
    [...page.matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number),
  );
  const sources = ['src', 'test', 'config'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|yaml)$/.test(path))
      .map((path) => readFileSync(join(repository, folder, path), 'utf8')),
  );
  const cited = sources.flatMap((source) =>
    [...source.matchAll(/docs\/service\.md,[\s*]+sections?[\s*]+([\d., and]+\d)/g)].flatMap(
      ([, numbers]) => numbers!.match(/\d+(?:\.\d+)?/g) ?? [],
    ),
  );

  expect(cited.filter((number) => !sections.has(number))).toEqual([]);
});

/** docs/service.md is true of itself, of the client and of the emulator. */
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toWireRequest, type SignatureMethod } from '../../../src/api/request.ts';
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

test.each(rowsOf('4.3').filter(([scheme]) => scheme!.startsWith('Hmac')))(
  'the text that the test vector for %s shows gives its signature: %s',
  (scheme, signed, signature) => {
    const algorithm = scheme.slice('Hmac'.length);
    const digest = createHmac(algorithm, 'example-key').update(codeIn(signed)).digest('base64');

    expect(digest).toBe(codeIn(signature));
  },
);

const methods: Readonly<Record<string, SignatureMethod>> = {
  HmacSHA256: 'hmac-sha256',
  HmacSHA1: 'hmac-sha1',
  'TC3, GET': 'tc3',
};

test.each(rowsOf('4.3').filter(([scheme = '']) => scheme in methods))(
  'the client signs as the test vector for %s of %s',
  (scheme, signed, signature) => {
    const request = {
      service: 'cvm',
      version: '2017-03-12',
      action: 'DescribeAccountQuota',
      region: 'ap-guangzhou',
      parameters: [...new URLSearchParams(signed.startsWith('the query') ? codeIn(signed) : '')],
    };
    const credentials = { secretId: 'example-id', secretKey: 'example-key', token: null };

    const { path, headers } = toWireRequest(request, credentials, {
      host: 'cvm.tencentcloudapi.com',
      timestampSeconds: 1_700_000_000,
      nonce: 11_886,
      method: methods[scheme]!,
    });

    const sent = `${path} ${headers.authorization ?? ''}`;
    expect(decodeURIComponent(sent)).toContain(`Signature=${codeIn(signature)}`);
  },
);

/** What stands in the first backquotes of a cell. */
function codeIn(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? '';
}

const documented = ['5.4', '6.5', '9', '16.4'].flatMap(rowsOf).flatMap(([codes]) => codesOf(codes));

test('the documented error codes include those that the emulator answers', () => {
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

test.each(decisions)('the client treats the error code %s as documented: %s', (code, decision) => {
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

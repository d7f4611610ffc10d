/** The keys of the network: `api.ca_file` and `api.proxy`, and the warning about `http://`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, it, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfig, networkWarnings, parseConfig } from '../../../src/config/config.ts';
import { messageOf } from '../../../src/model/errors.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { namedPipe } from '../../support/named-pipe.ts';
import { rowsOf } from '../../support/rows.ts';

const accounts = 'accounts: [{ name: a, regions: [ap-x] }]\n';
const [certificate = ''] = rootCertificates;

/** Loads a configuration whose `ca_file` has this text. */
async function load(text: string | Buffer, before = '') {
  const directory = await temporaryDirectory();
  const [file, authorities] = [join(directory, 'config.yaml'), join(directory, 'ca.pem')];
  await writeFile(authorities, text);
  await writeFile(file, `${before}api:\n  ca_file: ${authorities}\n${accounts}`);
  return loadConfig(file, collectors).catch((error: unknown) => {
    throw new Error(messageOf(error).replaceAll(`${file}:`, ''));
  });
}

it('ca_file gives the certificates in it', async () => {
  const { api } = await load(`# ours\n${certificate}\n`);

  expect(api.authorities).toEqual([certificate]);
});

it.each([
  ['is empty', ''],
  ['has no PEM', 'hello'],
  ['has half a certificate', certificate.slice(0, 200)],
  [
    'has a private key alone',
    '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----\n',
  ],
  ['is binary', Buffer.from([0x30, 0x82, 0xff, 0x00])],
])('ca_file that %s is refused with its place', async (_what, text) => {
  await expect(load(text)).rejects.toThrow(
    /^2:12: api\.ca_file: the file has no certificate in PEM form$/,
  );
});

it('ca_file with a certificate that is damaged is refused with its place', async () => {
  await expect(load(certificate.replace(/\n.{30}/, `\n${'A'.repeat(30)}`))).rejects.toThrow(
    /^2:12: api\.ca_file: the file, or a certificate in it, cannot be read \(ERR_OSSL_\w+\)$/,
  );
});

it('ca_file that is a named pipe is refused at once', async () => {
  const directory = await temporaryDirectory();
  await namedPipe(join(directory, 'ca'));
  const text = `api: { ca_file: ${directory}/ca }\n${accounts}`;
  await writeFile(join(directory, 'config.yaml'), text);

  await expect(loadConfig(join(directory, 'config.yaml'), collectors)).rejects.toThrow(
    /:1:17: api\.ca_file: .* cannot be read \(it is no regular file\)$/,
  );
});

it('ca_file that is wrong is reported with all other mistakes', async () => {
  await expect(load('', 'poll: { jitter: 5 }\n')).rejects.toThrow(
    /^1:17: poll\.jitter: .*\n3:12: api\.ca_file: /,
  );
});

it('ca_file is not read by a command that sends no request', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'config.yaml');
  await mkdir(join(directory, 'ca'));
  await writeFile(file, `api: { ca_file: ${directory}/ca }\n${accounts}`);

  expect((await loadConfig(file, collectors, false)).api.authorities).toEqual([]);
});

const warningsOf = (settings: object, type: string) =>
  networkWarnings(
    parseConfig(
      JSON.stringify({
        ...settings,
        accounts: [{ name: 'a', credentials: { type }, regions: ['ap-x'] }],
      }),
      'f',
      collectors,
    ),
  );

test.each(rowsOf<[string, object, string, string[]]>('config', 'endpoints-without-encryption'))(
  'an endpoint without encryption %s',
  (_what, api, type, keys) => {
    const named = warningsOf({ api }, type).map((warning) => warning.split(' ', 1)[0]);

    expect(named).toEqual(keys);
  },
);

test.each([
  ['redis://valkey:6379/0', ['cluster.redis.url']],
  ['rediss://valkey:6379/0', []],
  ['redis://127.0.0.1:6379', []],
  ['redis://[::1]:6379', []],
])(
  'the address %s of Redis is a warning where others can read the records on the way',
  (url, keys) => {
    const named = warningsOf({ cluster: { name: 'c', redis: { url } } }, 'none').map(
      (warning) => warning.split(' ', 1)[0],
    );

    expect(named).toEqual(keys);
  },
);

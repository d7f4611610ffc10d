/** The keys of the network: `api.ca_file` and `api.proxy`, and what check-config says of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfig, parseConfig } from '../../../src/config/config.ts';
import type { CredentialsConfig } from '../../../src/config/credentials-schema.ts';
import { networkLines, networkWarnings } from '../../../src/config/network-text.ts';
import { planTargets } from '../../../src/config/targets.ts';
import { messageOf } from '../../../src/model/errors.ts';
import type { Target } from '../../../src/model/target.ts';
import { leaks } from '../../support/leaks.ts';
import { temporaryDirectory, temporaryFile } from '../../support/directories.ts';

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

describe('ca_file', () => {
  it('gives the certificates in it', async () => {
    const { api } = await load(`# ours\n${certificate}\n`);

    expect(api.authorities).toEqual([certificate]);
  });

  it.each([
    ['is empty', ''],
    ['has no PEM', 'hello'],
    ['is binary', Buffer.from([0x30, 0x82, 0xff, 0x00])],
  ])('that %s is refused with its place', async (_what, text) => {
    await expect(load(text)).rejects.toThrow(
      /^2:12: api\.ca_file: the file has no certificate in PEM form$/,
    );
  });

  it('with a certificate that is damaged is refused with its place', async () => {
    await expect(load(certificate.replace(/\n.{30}/, `\n${'A'.repeat(30)}`))).rejects.toThrow(
      /^2:12: api\.ca_file: certificate 1 of the file cannot be read$/,
    );
  });

  it('that is wrong is reported with all other mistakes', async () => {
    await expect(load('', 'poll: { jitter: 5 }\n')).rejects.toThrow(
      /^1:17: poll\.jitter: .*\n3:12: api\.ca_file: /,
    );
  });

  it.each([
    ['is missing', '/no/such/file', 'the file cannot be read (ENOENT)'],
    ['is a directory', '/', 'the file cannot be read (EISDIR)'],
    ['is no name', '""', 'expected the path of a file'],
    [
      'is a secret',
      '"AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE"',
      'looks like a secret: write the path of a file with certificates',
    ],
  ])('that %s is refused with its place', async (_what, path, problem) => {
    const file = await temporaryFile('config.yaml', `api: { ca_file: ${path} }\n${accounts}`);

    await expect(loadConfig(file, collectors)).rejects.toThrow(
      `${file}:1:17: api.ca_file: ${problem}`,
    );
  });

  it('that is a private key instead of its path is refused without it', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49'.repeat(3)}\n`;
    const file = await temporaryFile(
      'config.yaml',
      `api: { ca_file: ${JSON.stringify(key)} }\n${accounts}`,
    );

    const message = await loadConfig(file, collectors).then(() => '', messageOf);

    expect(message).toContain('1:17: api.ca_file: ');
    expect(leaks(message, [key])).toEqual([]);
  });

  it('is not read by a command that sends no request', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'config.yaml');
    await mkdir(join(directory, 'ca'));
    await writeFile(file, `api: { ca_file: ${directory}/ca }\n${accounts}`);

    expect((await loadConfig(file, collectors, null)).api.authorities).toEqual([]);
  });
});

describe('proxy', () => {
  it.each([
    'environment',
    'none',
    'http://proxy.example.com:3128',
    'https://proxy.example.com',
    'http://[::1]:3128/',
    'http://10.1.2.3:3128',
  ])('may be %s', (proxy) => {
    expect(parseConfig(`api: { proxy: "${proxy}" }\n${accounts}`, 'f', collectors).api.proxy).toBe(
      proxy,
    );
  });

  const expected = 'expected environment, none, or the URL of a proxy';

  it.each([
    ['a word', 'system', expected],
    ['a host alone', 'proxy.example.com', expected],
    ['a host and a port', 'proxy.example.com:3128', expected],
    ['SOCKS', 'socks5://proxy.example.com:1080', expected],
    ['a path', 'http://proxy.example.com/x', expected],
    ['a placeholder', 'http://{region}.example.com', expected],
    ['nothing', '', expected],
    ['a user', 'http://user-MARKER-1@proxy.example.com', 'this file must not contain secrets'],
    [
      'a password',
      'http://u:pass-MARKER-12@proxy.example.com',
      'this file must not contain secrets',
    ],
    ['a password, and no scheme', 'u:pass-MARKER-12@proxy:1', 'this file must not contain secrets'],
  ])('may not be %s, and no message has it', (_what, proxy, problem) => {
    const parse = () => parseConfig(`api: { proxy: "${proxy}" }\n${accounts}`, 'f', collectors);

    expect(parse).toThrow(`f:1:15: api.proxy: ${problem}`);
    expect(parse).not.toThrow('MARKER');
  });
});

describe('check-config says of the network', () => {
  function lines(
    { api = {}, credentials = { type: 'environment' }, site = 'domestic' }: Record<string, unknown>,
    env: Record<string, string> = {},
    here: CredentialsConfig = { type: 'environment' },
  ) {
    const config = parseConfig(
      JSON.stringify({
        api,
        accounts: [{ name: 'a', credentials, site, regions: ['ap-x', 'ap-y'] }],
      }),
      'f',
      collectors,
    );
    const serviceOf = (target: Target) => collectors.of(target).service;
    return networkLines(config, { targets: planTargets(config, collectors), serviceOf, env, here });
  }

  const role = { type: 'assume_role', role_arn: 'qcs::cam::uin/1:roleName/a' };

  test.each<[string, string[], string[]]>([
    ['one line for a host', lines({}), ['cvm.tencentcloudapi.com', 'no proxy']],
    [
      'the hosts of the international site',
      lines({ site: 'international', credentials: role }),
      ['cvm.intl.tencentcloudapi.com', 'sts.intl.tencentcloudapi.com', 'no proxy'],
    ],
    [
      'an endpoint of the configuration, whatever the site',
      lines({ site: 'international', api: { endpoint: 'https://{service}.internal.example' } }),
      ['cvm.internal.example', 'no proxy'],
    ],
    [
      'each host of a region, and the proxy',
      lines(
        { api: { endpoint: 'https://cvm.{region}.example.com' } },
        { HTTPS_PROXY: 'http://user:pass@p:1', NO_PROXY: 'cvm.ap-y.example.com' },
      ),
      [
        'cvm.ap-x.example.com',
        'cvm.ap-y.example.com',
        'through the proxy p:1, but not for cvm.ap-y.example.com',
      ],
    ],
    [
      'STS and the metadata service if they are asked',
      lines({
        api: { proxy: 'http://p:1' },
        credentials: { ...role, source: { type: 'cvm_role' } },
      }),
      [
        'cvm.tencentcloudapi.com',
        'sts.tencentcloudapi.com',
        'metadata.tencentyun.com  directly',
        'through the proxy p:1',
      ],
    ],
    [
      'what the type default uses here',
      lines({ credentials: { type: 'default' } }, {}, { type: 'cvm_role' }),
      ['cvm.tencentcloudapi.com', 'metadata.tencentyun.com  directly', 'no proxy'],
    ],
    [
      'a variable that is wrong, without its value',
      lines({}, { HTTPS_PROXY: 'socks5://user:pass@p:1' }),
      [
        'cvm.tencentcloudapi.com',
        'no request can be sent: the environment variable HTTPS_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:3128',
      ],
    ],
  ])('%s', (_what, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('an endpoint without encryption', () => {
  const warningsOf = (api: object, type: string) =>
    networkWarnings(
      parseConfig(
        JSON.stringify({
          api,
          accounts: [{ name: 'a', credentials: { type }, regions: ['ap-x'] }],
        }),
        'f',
        collectors,
      ),
    );

  test.each([
    ['is a warning with keys', { endpoint: 'http://cvm.example' }, 'environment', ['api.endpoint']],
    [
      'is a warning of STS',
      { sts_endpoint: 'http://sts.example' },
      'tke_oidc',
      ['api.sts_endpoint'],
    ],
    ['is none without keys', { endpoint: 'http://cvm.example' }, 'none', []],
    ['is none of the metadata service', {}, 'cvm_role', []],
  ])('%s', (_what, api, type, keys) => {
    const named = warningsOf(api, type).map((warning) => warning.split(' ', 1)[0]);

    expect(named).toEqual(keys);
  });
});

import { collectors } from '../../../src/collectors/collectors.ts';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { planTargets } from '../../../src/config/targets.ts';
import { targetKey } from '../../../src/model/target.ts';
import { problemsOf } from '../../support/config-problems.ts';
import { defaultThresholds } from '../../support/records.ts';

const minimal = `
accounts:
  - name: production
    regions: [ap-guangzhou]
`;

const withRegions = (regions: string) => minimal.trimStart().replace('[ap-guangzhou]', regions);
const withKey = (key: string) => minimal.trimStart().replace('regions', `${key}\n    regions`);

/** A minimal configuration with `lines` in front. */
const withBlock = (lines: string) => `${lines}\n${minimal.trimStart()}`;

test('a configuration needs nothing but accounts and regions; everything else has a default', () => {
  const config = parseConfig(minimal, 'f', collectors);

  expect(config).toMatchObject({
    poll: {
      expression: '*/5 * * * *',
      timezone: 'Etc/UTC',
      jitterMs: 0,
      staleAfterMs: 15 * 60_000,
    },
    api: {
      endpoint: null,
      stsEndpoint: null,
      metadataEndpoint: 'http://metadata.tencentyun.com',
      authorities: [],
      proxy: 'environment',
      signature: 'tc3',
      requestsPerSecond: 10,
      timeoutMs: 10_000,
      maxAttempts: 4,
    },
    thresholds: defaultThresholds,
    links: { grafana: null, runbooks: null },
    accounts: [
      {
        name: 'production',
        labels: {},
        credentials: { type: 'default' },
        site: 'domestic',
        settings: {
          quota_types: ['postpaid', 'prepaid', 'spotpaid', 'disaster_recover_group', 'image'],
        },
        regions: [{ name: 'ap-guangzhou', settings: {} }],
        everyRegion: null,
      },
    ],
    cluster: null,
  });
});

test.each([
  ['an unknown key', withBlock('polls: {}'), '1:1: polls: unknown key; did you mean poll?'],
  ['a key like none', withBlock('volume: 11'), '1:1: volume: unknown key'],
  [
    'a null key',
    withBlock('poll: { ~: 1 }'),
    '1:9: poll.null: this key is null or empty: write its name',
  ],
  [
    'a null key in a region',
    withRegions('[{ name: ap-x, : 1 }]'),
    '3:29: accounts[0].regions[0].null: this key is null or empty: write its name',
  ],
  [
    'a zone that stands twice',
    withRegions('[{ name: ap-x, zones: [ap-x-1, ap-x-1] }]'),
    '3:45: accounts[0].regions[0].zones[1]: the zone ap-x-1 is in the list twice',
  ],
  [
    'a key of an account',
    withKey('credential: {}'),
    '3:5: accounts[0].credential: unknown key; did you mean credentials?',
  ],
  [
    'the former key of a variable',
    withKey('credentials: { type: environment, secret_id: X }'),
    '3:39: accounts[0].credentials.secret_id: unknown key; did you mean secret_id_env?',
  ],
  [
    'the former key of another variable',
    withKey('credentials: { type: environment, token: X }'),
    '3:39: accounts[0].credentials.token: unknown key; did you mean token_env?',
  ],
  [
    'a key of another type of credentials',
    withKey('credentials: { type: files, secret_id: /a, secret_id_file: /a, secret_key_file: /b }'),
    '3:33: accounts[0].credentials.secret_id: unknown key; did you mean secret_id_file?',
  ],
  [
    'jitter that is longer than a day',
    withBlock('poll: { jitter: 25d }'),
    '1:17: poll.jitter: must be at most 1d',
  ],
  [
    'a schedule that has no run, although each field is right',
    withBlock('poll: { schedule: "0 0 15W * SAT" }'),
    '1:19: poll.schedule: never runs; write for example "*/5 * * * *"',
  ],
  [
    'an account without quotas and templates',
    withKey('quota_types: []'),
    expect.stringMatching(
      /^2:5: accounts\[0\]: watches nothing: quota_types is empty and no region names launch_templates/,
    ),
  ],
  [
    'zones of every region',
    withRegions('{ zones: [ap-guangzhou-3] }'),
    '3:16: accounts[0].regions.zones: unknown key',
  ],
  [
    'IDs of launch templates of every region',
    withRegions('{ launch_templates: [lt-b8v1kcyq] }'),
    '3:34: accounts[0].regions.launch_templates: expected a map, found a list',
  ],
  [
    'every region without quotas and templates',
    minimal.trimStart().replace('regions: [ap-guangzhou]', 'quota_types: []\n    regions: all'),
    expect.stringMatching(
      /^2:5: accounts\[0\]: watches nothing: quota_types is empty and no region names launch_templates/,
    ),
  ],
  [
    'a word for the regions that is not `all`',
    withRegions('al'),
    '3:14: accounts[0].regions: must be all, a map or a list',
  ],
  [
    'a word for the launch templates that is not `all`',
    withRegions('[{ name: ap-x, launch_templates: al }]'),
    '3:47: accounts[0].regions[0].launch_templates: must be all, a map or a list',
  ],
  [
    'a word for the launch templates of every region that is not `all`',
    withRegions('{ launch_templates: al }'),
    '3:34: accounts[0].regions.launch_templates: must be all or a map',
  ],
  [
    'an excluded region that is no name',
    withRegions('{ except: [AP] }'),
    '3:25: accounts[0].regions.except[0]: expected a region such as ap-guangzhou',
  ],
  [
    'a selection of launch templates with an unknown key',
    withRegions('[{ name: ap-guangzhou, launch_templates: { name: [web] } }]'),
    '3:57: accounts[0].regions[0].launch_templates.name: unknown key; did you mean names?',
  ],
  [
    'more tags than the service allows',
    withRegions(
      `[{ name: ap-guangzhou, launch_templates: { tags: { ${'abcdefghijk'
        .split('')
        .map((tag) => `${tag}: x`)
        .join(', ')} } } }]`,
    ),
    '3:63: accounts[0].regions[0].launch_templates.tags: the service allows at most 10 tags',
  ],
  [
    'a key that stands twice',
    withBlock('api: { timeout: 1s, timeout: 2s }'),
    '1:21: this key appears twice in the same map',
  ],
  [
    'a cron expression without runs',
    withBlock('poll: { schedule: "0 0 30 2 *" }'),
    '1:19: poll.schedule: 30 2 is an impossible day of month for the given month; write for example "*/5 * * * *"',
  ],
  [
    'an unknown time zone',
    withBlock('poll: { timezone: Mars/Base }'),
    '1:19: poll.timezone: unknown time zone; expected a name such as Etc/UTC',
  ],
  [
    'a duration without a unit',
    withBlock('poll: { stale_after: 30 }'),
    '1:22: poll.stale_after: expected a duration such as 700ms or 30s, found a number',
  ],
  [
    'an endpoint with a path',
    withBlock('api: { endpoint: "http://127.0.0.1:1/x" }'),
    '1:18: api.endpoint: expected http:// or https:// and a host, without a path; the host may contain {service} and {region}',
  ],
  ...[
    'https://...',
    'https://a..b',
    'https://-a.b',
    'https://.',
    'https://a.b.',
    'https://1.2.3.999',
    'https://h:70000',
  ].map((endpoint): [string, string, string] => [
    `an endpoint of no real host: ${endpoint}`,
    withBlock(`api: { endpoint: "${endpoint}" }`),
    '1:18: api.endpoint: expected http:// or https:// and a host, without a path; the host may contain {service} and {region}',
  ]),
  ...['https://cvm.{regoin}.x.com', 'https://cvm.{region.x.com', 'https://cvm.region}.x.com'].map(
    (endpoint): [string, string, string] => [
      `an endpoint with other braces: ${endpoint}`,
      withBlock(`api: { endpoint: "${endpoint}" }`),
      '1:18: api.endpoint: the only placeholders are {service} and {region}, in exactly this form',
    ],
  ),
  [
    'more requests per second than the service allows',
    withBlock('api: { requests_per_second: 21 }'),
    '1:29: api.requests_per_second: must be at most 20',
  ],
  [
    'a secret in the place of a variable',
    withBlock('').replace('regions', 'credentials: { type: environment, key: x }\n    regions'),
    '4:39: accounts[0].credentials.key: unknown key',
  ],
  ['an empty file', '', '1:1: expected a map, found nothing'],
  ['no accounts', 'accounts: []', '1:11: accounts: name at least one account'],
  [
    'a second document',
    `${minimal}---\n{}`,
    '5:1: Source contains multiple documents; please use YAML.parseAllDocuments()',
  ],
])('a configuration is refused for %s', (_, text, problem) => {
  expect(problemsOf(text)).toEqual([problem]);
});

test.each(['all', '{}', '{ except: [ap-seoul] }'])(
  'a configuration may watch the regions %s',
  (regions) => {
    const text = minimal.replace('[ap-guangzhou]', regions);

    expect(planTargets(parseConfig(text, 'f', collectors), collectors).map(targetKey)).toEqual([
      'production@ap-guangzhou@DescribeRegions',
      'production@*@DescribeAccountQuota',
    ]);
  },
);

test.each(['all', '{}', '{ names: [web-*] }', '{ tags: { env: prod } }'])(
  'a configuration may watch the launch templates %s, which discovery finds',
  (selection) => {
    const text = minimal.replace(
      'regions: [ap-guangzhou]',
      `quota_types: []\n    regions: [{ name: ap-guangzhou, launch_templates: ${selection} }]`,
    );

    expect(planTargets(parseConfig(text, 'f', collectors), collectors).map(targetKey)).toEqual([
      'production@ap-guangzhou@DescribeLaunchTemplates',
    ]);
  },
);

test('a configuration may have no quota types, where templates are watched', () => {
  const text = minimal.replace(
    'regions: [ap-guangzhou]',
    'quota_types: []\n    regions: [{ name: ap-guangzhou, launch_templates: [lt-b8v1kcyq] }]',
  );

  expect(planTargets(parseConfig(text, 'f', collectors), collectors).map(targetKey)).toEqual([
    'production@ap-guangzhou@DescribeLaunchTemplateVersions@lt-b8v1kcyq',
  ]);
});

test.each([
  'https://cvm.tencentcloudapi.com',
  'https://cvm.{region}.tencentcloudapi.com/',
  'https://cvm-{region}.x.com:8443',
  'http://127.0.0.1:10043',
  'http://[::1]:10043',
  'http://localhost',
])('a configuration may ask %s', (endpoint) => {
  expect(problemsOf(withBlock(`api: { endpoint: "${endpoint}" }`))).toEqual([]);
});

test('a configuration names the line of a syntax error', () => {
  expect(problemsOf('accounts:\n  - name: "x\n')[0]).toMatch(/^3:1: Missing closing "quote/);
});

test('a file that is not there is named, with the reason', async () => {
  const { loadConfig } = await import('../../../src/config/config.ts');

  await expect(loadConfig('/nowhere/c.yaml', collectors)).rejects.toThrow(
    /^\/nowhere\/c\.yaml: the file cannot be read: ENOENT/,
  );
});

const role = (source: string) =>
  `accounts: [{ name: a, regions: [ap-x], credentials: { type: assume_role, role_arn: "qcs::cam::uin/1:roleName/a", source: ${source} } }]`;
const chain = (source: string) =>
  `{ type: assume_role, role_arn: "qcs::cam::uin/2:role/4611686018427397919", source: ${source} }`;

test.each(['{ type: environment }', '{ type: default }', chain('{ type: tke_oidc }')])(
  'the source of a role can be %s',
  (source) => {
    expect(problemsOf(role(source))).toEqual([]);
  },
);

test.each(['{ type: none }', chain(chain('{ type: tke_oidc }'))])(
  'the source of a role cannot be %s',
  (source) => {
    expect(problemsOf(role(source)).join()).toContain('source');
  },
);

test.each([
  ['role_arn: monitor', 'expected a role such as qcs::cam::uin/'],
  ['external_id: "a b"', 'external_id'],
  ['external_id: AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', 'no SecretId'],
  ['duration: 13h', 'must be at most 12h'],
  ['session_name: "a/b"', 'session_name'],
])('a role with %s is refused', (key, message) => {
  const keys = key.startsWith('role_arn') ? key : `role_arn: "qcs::cam::uin/1:role/1", ${key}`;
  const text = `accounts: [{ name: a, regions: [ap-x], credentials: { type: assume_role, ${keys} } }]`;

  expect(problemsOf(text).join()).toContain(message);
});

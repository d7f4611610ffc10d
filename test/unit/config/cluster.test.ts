/** The keys of a cluster, and what each mistake in them says. */
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const accounts = 'accounts: [{ name: a, regions: [ap-guangzhou] }]';
const withCluster = (cluster: string) => `${accounts}\ncluster: ${cluster}`;
const withRedis = (redis: string) => withCluster(`{ name: c, redis: ${redis} }`);
const parsed = (text: string) => parseConfig(text, 'f', collectors).cluster;

const address =
  'expected redis:// or rediss://, a host, and perhaps a port and a database, such as redis://valkey:6379/0';
const secret =
  'this file must not contain secrets: write the user name to username, and the path of a file with the password to password_file';

it('a cluster has defaults', () => {
  expect(parsed(withRedis('{ url: "redis://valkey" }'))).toEqual({
    name: 'c',
    url: 'redis://valkey',
    username: null,
    passwordFile: null,
    authorityFile: null,
    lockMs: 15_000,
  });
});

it('a cluster has an address, a user, files and a lock', () => {
  const redis =
    '{ url: "rediss://valkey:6380/2", username: quota, password_file: /p, ca_file: /ca.pem }';

  expect(parsed(withCluster(`{ name: c, redis: ${redis}, lock: 30s }`))).toEqual({
    name: 'c',
    url: 'rediss://valkey:6380/2',
    username: 'quota',
    passwordFile: '/p',
    authorityFile: '/ca.pem',
    lockMs: 30_000,
  });
});

it.each(['redis://valkey', 'redis://valkey:6379', 'redis://valkey/', 'redis://[::1]:6379/15'])(
  'a cluster can have the address %s',
  (url) => {
    expect(problemsOf(withRedis(`{ url: "${url}" }`))).toEqual([]);
  },
);

it.each([
  ['http://valkey', address],
  ['valkey:6379', address],
  ['redis://', address],
  ['redis://:6379', address],
  ['redis://valkey:port', address],
  ['redis://valkey:6379/first', address],
  ['redis://valkey/0?tls=true', address],
  ['redis://quota:hunter2@valkey', secret],
  ['redis://quota@valkey', secret],
])('a cluster refuses the address %s, and does not repeat it', (url, message) => {
  expect(problemsOf(withRedis(`{ url: "${url}" }`))).toEqual([
    `2:35: cluster.redis.url: ${message}`,
  ]);
});

it.each([
  ['{ redis: { url: "redis://r" } }', '2:10: cluster.name: ', 'is required'],
  ['{ name: "a b", redis: { url: "redis://r" } }', '2:18: cluster.name: ', 'letters, digits'],
  ['{ name: c }', '2:10: cluster.redis: ', 'is required'],
  ['{ name: c, redis: {} }', '2:28: cluster.redis.url: ', 'is required'],
  [
    '{ name: c, redis: { url: "redis://r", usrname: q } }',
    '2:48: cluster.redis.usrname: ',
    'username',
  ],
  ['{ name: c, redis: { url: "redis://r", username: "" } }', '2:58: cluster.redis.username: ', ''],
  [
    '{ name: c, redis: { url: "redis://r", password_file: "" } }',
    '2:63: cluster.redis.password_file: ',
    'expected the path of a file',
  ],
  [
    '{ name: c, redis: { url: "redis://r", password_file: aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF } }',
    '2:63: cluster.redis.password_file: ',
    'looks like a secret: write the path of a file',
  ],
  [
    '{ name: c, redis: { url: "redis://r", ca_file: "" } }',
    '2:57: cluster.redis.ca_file: ',
    'expected the path of a file',
  ],
  [
    '{ name: c, redis: { url: "redis://r", ca_file: ca.pem } }',
    '2:57: cluster.redis.ca_file: ',
    'write rediss:// to url',
  ],
  [
    '{ name: c, redis: { url: "redis://r" }, lock: 1s }',
    '2:56: cluster.lock: ',
    'must be at least 2s',
  ],
  [
    '{ name: c, redis: { url: "redis://r" }, lock: 1h }',
    '2:56: cluster.lock: ',
    'must be at most 10m',
  ],
  [
    '{ name: c, redis: { url: "redis://r" }, lock: 15 }',
    '2:56: cluster.lock: ',
    'expected a duration such as',
  ],
])(
  'a cluster with the mistake %s says where it is, and what is expected',
  (cluster, where, what) => {
    const problems = problemsOf(withCluster(cluster));

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${where.replaceAll('.', '\\.')}.*${what}`));
  },
);

it('a cluster reports every mistake at once', () => {
  const problems = problemsOf(withCluster('{ name: "", redis: { url: valkey }, lock: 1s }'));

  expect(problems).toHaveLength(3);
});

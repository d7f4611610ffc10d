/**
 * The state that 0.1.0 has written, in files and in Redis: every later version reads it. The fixtures never change; a
 * new form of records gets new ones beside them.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { prepareDaemon, type Daemon } from '../support/program.ts';
import { hasRedis, startRedis, type RedisServer } from '../support/redis.ts';

const fixture = 'test/support/fixtures/state-0.1.0';
/** Of all its files. */
const fixtureHash = 'b3d2461f242ea0a1afbc6eb5242e64c4585ff9878dc6c756228d7afd660baf82';
const config = parse(readFileSync(`${fixture}/config.yaml`, 'utf8'));
const texts = new Map(
  readdirSync(`${fixture}/files`).map((name) => [
    name,
    readFileSync(`${fixture}/files/${name}`, 'utf8'),
  ]),
);
const newer = 'production@ap-guangzhou@DescribeAccountQuota';
const nextForm = (text: string) => text.replace('"version":1', '"version":2');

async function daemonWithFiles(): Promise<Daemon> {
  const daemon = await prepareDaemon({ config });
  await mkdir(daemon.storagePath);
  await cp(`${fixture}/files`, daemon.storagePath, { recursive: true });
  return daemon;
}

type Dump = Readonly<Record<string, Readonly<Record<string, string>> | readonly string[] | string>>;

async function daemonWithRedis(): Promise<{ daemon: Daemon; redis: RedisServer }> {
  const redis = await startRedis();
  const connection = redis.connect();
  const dump: Dump = JSON.parse(readFileSync(`${fixture}/redis.json`, 'utf8'));
  for (const [key, value] of Object.entries(dump)) {
    if (typeof value === 'string') await connection.set(key, value);
    else if (Array.isArray(value)) await connection.zadd(key, ...(value as string[]).toReversed());
    else await connection.hset(key, value);
  }
  const cluster = { name: 'prod', redis: { url: redis.url } };
  return { daemon: await prepareDaemon({ config: { ...config, cluster } }), redis };
}

const records = 'prod:{production}:records';

/** Expects every counter that the daemon which wrote the state showed at its end. */
async function expectCounters(daemon: Daemon): Promise<void> {
  const shown = readFileSync(`${fixture}/counters.txt`, 'utf8').trim().split('\n');
  daemon.spawn();
  await daemon.ready();

  const lacking = async () => {
    const text = await daemon.text('/metrics');
    return shown.filter((line) => !text.includes(line));
  };
  await expect.poll(lacking).toEqual([]);
  expect((await daemon.metrics()).sum('cvm_monitor_state_damaged_files_total')).toBe(0);
}

test('the fixtures of the state of 0.1.0 have not changed', () => {
  const hash = createHash('sha256');
  for (const name of [...texts.keys()].toSorted()) hash.update(`${name}\n${texts.get(name)}`);
  hash
    .update(readFileSync(`${fixture}/redis.json`))
    .update(readFileSync(`${fixture}/counters.txt`));

  expect(hash.digest('hex')).toBe(fixtureHash);
});

test('a daemon goes on with the files that 0.1.0 wrote', async () => {
  const daemon = await daemonWithFiles();

  await expectCounters(daemon);

  expect(readdirSync(daemon.storagePath)).toEqual(expect.arrayContaining([...texts.keys()]));
});

test('a start that finds a file of the next form ends with 1, names it, and changes nothing', async () => {
  const daemon = await daemonWithFiles();
  const path = join(daemon.storagePath, `${newer}.json`);
  await writeFile(path, nextForm(texts.get(`${newer}.json`)!));
  await writeFile(join(daemon.storagePath, 'production@ap-y@DescribeAccountQuota.json'), 'damaged');
  await writeFile(`${path}.tmp`, 'half');
  const before = readdirSync(daemon.storagePath);

  daemon.spawn();

  expect(await daemon.exited).toEqual({ code: 1, signal: null });
  expect(daemon.output).toContain(path);
  expect(daemon.output).toContain('form 2');
  // Without the lock, too.
  expect(readdirSync(daemon.storagePath)).toEqual(before);
  expect(await readFile(path, 'utf8')).toBe(nextForm(texts.get(`${newer}.json`)!));
});

test.runIf(hasRedis)('a daemon goes on with what 0.1.0 wrote to Redis', async () => {
  const { daemon, redis } = await daemonWithRedis();

  await expectCounters(daemon);

  expect(await redis.connect().exists('prod:{production}:damaged')).toBe(0);
});

test.runIf(hasRedis)(
  'a start that finds a record of the next form in Redis ends with 1, names it, and changes nothing',
  async () => {
    const { daemon, redis } = await daemonWithRedis();
    const connection = redis.connect();
    const text = nextForm((await connection.hget(records, newer)) ?? '');
    await connection.hset(records, newer, text);

    daemon.spawn();

    expect(await daemon.exited).toEqual({ code: 1, signal: null });
    expect(`${daemon.output}${JSON.stringify(daemon.log)}`).toMatch(
      new RegExp(`${newer}.*form 2|form 2.*${newer}`),
    );
    expect(await connection.hget(records, newer)).toBe(text);
    expect(await connection.exists('prod:{production}:damaged')).toBe(0);
  },
);

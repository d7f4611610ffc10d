/** `migrate` copies records of one daemon to a cluster and back, and keeps every counter. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { startEmulator, type ScenarioInput } from '../../../src/emulator/emulator.ts';
import { runCommand, startCommand } from '../../helpers/command-line.ts';
import { startDaemon, type ConfigInput } from '../../helpers/daemon-process.ts';
import { temporaryDirectory, temporaryFile } from '../../helpers/directories.ts';
import { hasRedis, startRedis } from '../../helpers/redis.ts';
import type { Samples } from '../../helpers/samples.ts';
import { startTcpProxy } from '../../helpers/tcp-proxy.ts';

const region = 'ap-x';
const zone = 'ap-x-1';
const names = ['production', 'staging'];
/** Each account of the configuration sends unsigned requests to it. */
const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'a',
      regions: [{ name: region, zones: [{ name: zone, postpaid: { used: 5, limit: 100 } }] }],
    },
  ],
};

interface Copy {
  readonly to: 'cluster' | 'files';
  readonly data?: string;
  readonly flags?: readonly string[];
}

async function startWorld() {
  const redis = await startRedis();
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const directory = await temporaryDirectory();
  const alone: ConfigInput = {
    poll: { schedule: '0 0 1 1 *' },
    api: { endpoint: emulator.url },
    accounts: names.map((name) => ({
      name,
      credentials: { type: 'none' },
      quota_types: ['postpaid'],
      regions: [region],
    })),
  };
  const shared: ConfigInput = {
    ...alone,
    cluster: { name: 'test', redis: { url: redis.url }, lock: '2s' },
  };
  const file = join(directory, 'cluster.yaml');
  const setConfig = (config: ConfigInput) => writeFile(file, JSON.stringify(config));
  await setConfig(shared);
  const data = join(directory, 'data');
  /** Runs a daemon until each target was polled, and gives what it then shows. */
  const run = async (config: ConfigInput, storagePath = data) => {
    const daemon = await startDaemon({ config, storagePath });
    await daemon.ready();
    const samples = await daemon.metrics();
    await daemon.stop();
    return shownBy(samples);
  };
  const argumentsOf = ({ to, data: path = data, flags = [] }: Copy) => [
    'migrate',
    `--config.file=${file}`,
    `--storage.path=${path}`,
    `--to=${to}`,
    ...flags,
  ];
  const migrate = (copy: Copy) => runCommand(...argumentsOf(copy));
  /** Kills it while the first write with this text is on the way to Redis, which never arrives. */
  const migrateUntil = async (text: string) => {
    const network = await startTcpProxy(redis.port);
    const url = `redis://127.0.0.1:${network.port}`;
    await setConfig({ ...shared, cluster: { name: 'test', redis: { url }, lock: '2s' } });
    const held = network.holdFrom(text);
    const command = startCommand(...argumentsOf({ to: 'cluster' }));
    await held;
    command.signal('SIGKILL');
    await command.result;
    network.cut();
    await setConfig(shared);
  };
  return {
    redis,
    alone,
    shared,
    data,
    directory,
    run,
    setConfig,
    migrate,
    migrateUntil,
    /** The limit changes before the next poll. */
    raiseLimit: (limit: number) => {
      emulator.do({ do: 'set-limit', region, zone, quota_type: 'postpaid', limit });
    },
  };
}

/** What is stored, as `/metrics` shows it: everything of quotas. */
function shownBy(samples: Samples): string[] {
  return samples.all
    .filter(({ name }) => name.startsWith('cvm_quota_') || name === 'cvm_account_info')
    .map((sample) => JSON.stringify(sample))
    .toSorted();
}

const raised = (shown: readonly string[]) =>
  shown.filter((each) => each.includes('limit_changes_total') && each.includes('"value":1')).length;

/** The content of each file with a record. */
async function contentsOf(directory: string): Promise<Record<string, unknown>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json')).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')));
  return Object.fromEntries(files.map((name, i) => [name, JSON.parse(texts[i] ?? '')]));
}

describe.runIf(hasRedis)('migrate', () => {
  test('there and back keeps every counter, also of targets that are gone', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    world.raiseLimit(120);
    const before = await world.run(world.alone);
    expect(raised(before)).toBeGreaterThan(0);
    const files = await contentsOf(world.data);
    const broken = join(world.data, 'broken@ap-x@DescribeAccountQuota.json');
    await writeFile(broken, 'cut off');

    const there = await world.migrate({ to: 'cluster' });

    expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining('broken@ap-x') });
    expect(there.stdout).toContain(
      'production: 1 record\nstaging: 1 record\n2 records of 2 accounts',
    );
    await rm(broken);
    expect(await contentsOf(world.data)).toEqual(files);
    expect(await world.run(world.shared)).toEqual(before);

    const back = await world.migrate({ to: 'files', data: join(world.directory, 'back') });

    expect(back).toMatchObject({ code: 0, stderr: '' });
    expect(await world.run(world.alone, join(world.directory, 'back'))).toEqual(before);
  });

  test('runs again after it was killed half way, and copies what is missing', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    const half = join(world.directory, 'half');
    await mkdir(half);
    const [first = ''] = Object.keys(await contentsOf(world.data));
    await cp(join(world.data, first), join(half, first));
    expect((await world.migrate({ to: 'cluster', data: half })).code).toBe(0);

    const { code, stdout } = await world.migrate({ to: 'cluster' });

    expect(code).toBe(0);
    expect(stdout).toContain('production: 1 record, 1 of them were there\nstaging: 1 record\n');
    await rm(half, { recursive: true });
    expect((await world.migrate({ to: 'files', data: half })).code).toBe(0);
    expect(await contentsOf(half)).toEqual(await contentsOf(world.data));
  });

  test('that was killed at a write loses nothing and doubles nothing when it runs again', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    world.raiseLimit(120);
    const before = await world.run(world.alone);
    const files = await contentsOf(world.data);
    const connection = world.redis.connect();
    const stored = () =>
      Promise.all(names.map((name) => connection.hkeys(accountKeys('test', name).records)));

    await world.migrateUntil('staging@');

    expect(await stored()).toEqual([['production@ap-x@DescribeAccountQuota'], []]);
    expect(await contentsOf(world.data)).toEqual(files);
    const { code, stdout } = await world.migrate({ to: 'cluster' });
    expect(code).toBe(0);
    expect(stdout).toContain('production: 1 record, 1 of them were there\nstaging: 1 record\n');
    expect(await stored()).toEqual(names.map((name) => [`${name}@ap-x@DescribeAccountQuota`]));
    expect(await world.run(world.shared)).toEqual(before);
  });

  test('copies the records of accounts that the configuration no longer has, both ways', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    world.raiseLimit(120);
    const before = await world.run(world.alone);
    const files = await contentsOf(world.data);
    const [, ...kept] = world.shared.accounts;
    await world.setConfig({ ...world.shared, accounts: kept });

    const there = await world.migrate({ to: 'cluster' });
    const data = join(world.directory, 'back');
    const back = await world.migrate({ to: 'files', data });

    for (const { code, stdout } of [there, back]) {
      expect(code).toBe(0);
      expect(stdout).toContain('production: 1 record\nstaging: 1 record\n');
    }
    expect(await contentsOf(data)).toEqual(files);
    // The account returns, and continues its counter.
    expect(await world.run(world.shared)).toEqual(before);
  });

  test('replaces other records of an account only with --replace, and names the account', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    await world.migrate({ to: 'cluster' });
    world.raiseLimit(120);
    await world.run(world.alone);

    const refused = await world.migrate({ to: 'cluster' });

    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/has other records of (production|staging).*--replace/);
    expect((await world.migrate({ to: 'cluster', flags: ['--replace'] })).code).toBe(0);
    expect((await world.migrate({ to: 'files' })).code).toBe(0);
  });

  test('refuses while a daemon uses the directory or the cluster', async () => {
    const world = await startWorld();
    await world.run(world.alone);
    const alone = await startDaemon({ config: world.alone, storagePath: world.data });

    expect((await world.migrate({ to: 'cluster' })).code).toBe(1);

    await alone.stop();
    const shared = await startDaemon({ config: world.shared });
    await shared.ready();
    const refused = await world.migrate({ to: 'cluster' });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('of the cluster test run'),
    });
    expect((await world.migrate({ to: 'files' })).code).toBe(1);
    await shared.stop();
    await world.redis.kill();
    const down = await world.migrate({ to: 'files' });
    expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') });
  });
});

test('a configuration without a cluster is a usage error of migrate', async () => {
  const file = await temporaryFile(
    'config.yaml',
    'accounts: [{ name: a, regions: [ap-guangzhou] }]\n',
  );

  const { code, stderr } = await runCommand('migrate', `--config.file=${file}`, '--to=files');

  expect(code).toBe(1);
  expect(stderr).toContain('error: the configuration has no `cluster`');
});

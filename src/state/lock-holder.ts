/** Who holds a lock, and whether that process still lives. */
import { codeOf } from '../model/errors.ts';
import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';

const lockHolder = z.object({
  /** Tells two holders apart when all other fields are equal. */
  id: z.string(),
  pid: z.int().positive(),
  host: z.string(),
  startedAt: z.string(),
  /** When the process began, in clock ticks since the machine started; `null` where there is no /proc. */
  processStart: z.string().nullable(),
  /** Identifies one run of the machine's kernel; `null` where there is no /proc. */
  bootId: z.string().nullable(),
  /** The namespace in which the pid is unique; `null` where there is no /proc. */
  pidNamespace: z.string().nullable(),
});

/** The process that holds a lock, as the lock file names it. */
export type LockHolder = Readonly<z.infer<typeof lockHolder>>;

/** What is known of a process by its pid; `processStart` is `null` where there is no /proc. */
export interface ProcessState {
  readonly isRunning: boolean;
  readonly processStart: string | null;
}

/** This process as the holder of a lock that it takes at `nowMs`. */
export async function describeThisProcess(nowMs: number): Promise<LockHolder> {
  return {
    id: randomUUID(),
    pid: process.pid,
    host: hostname(),
    startedAt: new Date(nowMs).toISOString(),
    processStart: (await lookUpProcess(process.pid)).processStart,
    bootId: await orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    pidNamespace: await orNull(readlink('/proc/self/ns/pid')),
  };
}

/** The holder that a lock file names; `null` when its text names none. */
export function parseHolder(text: string): LockHolder | null {
  try {
    return lockHolder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Whether a lock's holder lives, as far as its pid tells: `unknown` when the pid belongs to another
 * machine or container, and only the time of the lock file can tell.
 */
export async function livenessOf(
  holder: LockHolder | null,
  self: LockHolder,
  lookUp: (pid: number) => Promise<ProcessState> = lookUpProcess,
): Promise<'alive' | 'dead' | 'unknown'> {
  if (holder === null || !sharesPids(holder, self)) return 'unknown';
  const { isRunning, processStart } = await lookUp(holder.pid);
  if (!isRunning) return 'dead';
  const isReused =
    processStart !== null && holder.processStart !== null && processStart !== holder.processStart;
  return isReused ? 'dead' : 'alive';
}

/** Whether a pid means the same process to both. Containers with one host name need not share pids. */
function sharesPids(a: LockHolder, b: LockHolder): boolean {
  if (a.bootId === null && b.bootId === null) return a.host === b.host;
  return a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;
}

async function lookUpProcess(pid: number): Promise<ProcessState> {
  // proc(5): the second field is a name in parentheses, which may hold any character. Of the fields after
  // it, the first is the state and the 20th is the start time.
  const stat = await orNull(readFile(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[0];
  const isEnded = state === 'Z' || state === 'X';
  return { isRunning: !isEnded && canBeSignalled(pid), processStart: fields?.[19] ?? null };
}

function canBeSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

async function orNull(text: Promise<string>): Promise<string | null> {
  try {
    return (await text).trim();
  } catch {
    return null;
  }
}

/** The moments at which the crash tests kill the daemon. Each function waits for one moment. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { DaemonProcess } from '../daemon-process.ts';
import { fileEvent } from '../file-events.ts';
import type { Random } from '../random.ts';

/** One process of a daemon, from its start to its kill. */
export interface Life {
  readonly daemon: DaemonProcess;
  readonly emulator: Emulator;
  readonly random: Random;
  /** The usual duration of a start. */
  readonly startMs: number;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

type Moment = (life: Life) => Promise<void>;

const recordFile = /\.json$/;
const temporaryRecordFile = /\.json\.tmp-/;
/** Each target is written once in a cycle. The kill can happen at any of these writes. */
const writesPerCycle = 9;

export const moments = {
  /** Any time between the first instruction and the first answers. */
  starting: ({ random, signal, startMs }) => pause(random.next() * startMs * 1.1, signal),
  /** While the daemon takes the lock. */
  locking: ({ daemon, random, signal }) =>
    fileEvent(daemon.storagePath, {
      type: 'rename',
      name: /^lock/,
      count: random.integer(1, 3),
      signal,
    }),
  /** Soon after the service received a request. */
  polling: async (life) => {
    const { emulator, random, signal } = life;
    const target = emulator.requests.total + random.integer(1, writesPerCycle);
    while (emulator.requests.total < target && !signal.aborted) await pause(1, signal);
    await pause(random.next() * 40, signal);
  },
  /** A temporary file was created. Its text is not written yet. */
  writing: (life) => write(life, 'rename', temporaryRecordFile),
  /** A temporary file has text, but was not renamed. */
  written: (life) => write(life, 'change', temporaryRecordFile),
  /** A record has just replaced the previous one. */
  renamed: (life) => write(life, 'rename', recordFile),
  /** Any time in a cycle or between two cycles. */
  idle: async ({ daemon, random, signal }) => {
    await daemon.serving();
    await pause(random.next() * 1_200, signal);
  },
  reloading: (life) => afterSignal(life, 'SIGHUP'),
  stopping: (life) => afterSignal(life, 'SIGTERM'),
} satisfies Record<string, Moment>;

export type MomentName = keyof typeof moments;
export const momentNames = Object.keys(moments) as MomentName[];

function write(
  { daemon, random, signal }: Life,
  type: 'rename' | 'change',
  name: RegExp,
): Promise<void> {
  const count = random.integer(1, writesPerCycle);
  return fileEvent(daemon.storagePath, { type, name, count, signal });
}

async function afterSignal(life: Life, signal: 'SIGHUP' | 'SIGTERM'): Promise<void> {
  const { daemon, random } = life;
  await daemon.serving();
  await pause(random.next() * 300, life.signal);
  daemon.signal(signal);
  await pause(random.next() * 60, life.signal);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

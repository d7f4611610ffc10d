/** What the programs of this folder share: their arguments, their messages, and their measures of costs. */
import type { Server } from 'node:http';
import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';

/** What the bench passed on. */
export function argument(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Listens on a free port of the loopback interface, and prints where. */
export function announce(server: Server, scheme = 'http'): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `${scheme}://127.0.0.1:${port}` }));
  });
}

/** Answers every message of the bench. */
export function reply(answer: (message: unknown) => unknown): void {
  process.on('message', (message) => {
    void Promise.resolve(answer(message)).then((value) => process.send?.(value ?? null));
  });
}

/** Prints that a side that serves nothing is ready for messages. */
export function announceReady(): void {
  console.log(JSON.stringify({}));
}

/** A cost of a piece of work: CPU time in milliseconds, or the memory that it allocates in kilobytes. */
export type Cost = 'cpu' | 'allocation';

/** Answers each message, which is a {@link Cost}, with that of one of so many pieces of work. */
export function replyWithCost(pieces: number, work: () => Promise<unknown>): void {
  reply(async (cost) => (await (cost === 'cpu' ? cpuOf(work) : allocationOf(work))) / pieces);
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** By samples of V8, of what is collected meanwhile, too. */
async function allocationOf(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 8_192,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    children.reduce((sum, child) => sum + sizeOf(child), selfSize);
  return sizeOf(profile.head) / 1_000;
}

/** How many requests, polls or writes run at a time. */
export const atATime = 10;

/** So many calls of `work`, numbered from 0. */
export function calling(count: number, work: (number: number) => Promise<unknown>) {
  return async () => {
    const numbers = Array.from({ length: count }, (_, i) => i).values();
    const workRest = async () => {
      for (const number of numbers) await work(number);
    };
    await Promise.all(Array.from({ length: atATime }, workRest));
  };
}

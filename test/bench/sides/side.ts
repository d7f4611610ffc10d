/** What the programs of this folder share: their arguments, their messages, and their measure of CPU time. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConcurrencyLimit } from '../../../src/state/concurrency.ts';

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

/** The CPU time of one of so many pieces of work, in milliseconds. */
export async function cpuOf(pieces: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / pieces;
}

/** How many requests, polls or writes run at a time. */
export const atATime = 10;

/** The CPU time of one call of `work`, in milliseconds. The calls are numbered from 0. */
export function cpuOfCalls(
  calls: number,
  work: (number: number) => Promise<unknown>,
): Promise<number> {
  const concurrency = new ConcurrencyLimit(atATime);
  const numbers = Array.from({ length: calls }, (_, i) => i);
  return cpuOf(calls, () => Promise.all(numbers.map((i) => concurrency.run(() => work(i)))));
}

/** What the programs of this folder share: how they are told what to do, and say where they are. */
import type { Server } from 'node:http';
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

/** The CPU time of one of so many pieces of work, in milliseconds. */
export async function cpuOf(pieces: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / pieces;
}

/** The same function, of which at most so many calls run at a time; further ones wait. */
export function limited<Args extends unknown[], Result>(
  most: number,
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (...args) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work(...args);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** What the processes beside the program share: their argument, their messages, their figures. */
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the bench passed on. */
export function argument(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Answers every message of the bench. */
export function reply(answer: (message: unknown) => unknown): void {
  process.on('message', (message) => {
    void Promise.resolve(answer(message)).then((value) => process.send?.(value ?? null));
  });
}

/** Prints that the process is ready, and where it is reached. */
export function announce(url = ''): void {
  console.log(JSON.stringify({ url }));
}

/** Serves on a free port of the loopback interface. */
export function serve(listener: RequestListener): void {
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}

/** User and system time of all threads of this process. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The thread that computes a bcrypt hash. That takes tens of milliseconds and more. */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

/** A message to the thread. Its answer is whether they belong together. */
export type Comparison = Readonly<Record<'password' | 'hash', string>>;

parentPort?.once('message', ({ password, hash }: Comparison) => {
  parentPort?.postMessage(compareSync(password, hash));
});

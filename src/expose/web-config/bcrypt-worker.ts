/**
 * The thread that compares one password with a bcrypt hash, which takes tens of milliseconds and more. `protection.ts` starts
 * one for each comparison, and it ends after its answer. The build makes an entry of its own of this file.
 */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

/** The one message to the thread. The thread answers `true` if the password has the hash. */
export type Comparison = Readonly<Record<'password' | 'hash', string>>;

parentPort?.once('message', ({ password, hash }: Comparison) => {
  parentPort?.postMessage(compareSync(password, hash));
});

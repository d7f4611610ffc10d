/** The thread that computes bcrypt hashes. One takes tens of milliseconds and more. */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison, Compared } from './bcrypt.ts';

parentPort?.on('message', ({ id, password, hash }: Comparison) => {
  const compared: Compared = { id, isRight: compareSync(password, hash) };
  parentPort?.postMessage(compared);
});

/** The thread that computes a bcrypt hash. That takes tens of milliseconds and more. */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison } from './bcrypt.ts';

parentPort?.once('message', ({ password, hash }: Comparison) => {
  parentPort?.postMessage(compareSync(password, hash));
});

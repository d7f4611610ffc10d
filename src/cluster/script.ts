/** Runs scripts in Redis. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

type Argument = string | number;

/** One script. Redis knows it by its hash after the first run. */
export class Script {
  readonly #text: string;
  readonly #sha: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }

  /** Runs it once for each call, in one round trip. Rejects when one of the runs fails. */
  async runAll(
    redis: Redis,
    calls: readonly { readonly keys: readonly string[]; readonly args: readonly Argument[] }[],
  ): Promise<readonly unknown[]> {
    const pipeline = redis.pipeline();
    for (const { keys, args } of calls) pipeline.evalsha(this.#sha, keys.length, ...keys, ...args);
    const results = (await pipeline.exec()) ?? [];
    if (results.some(([error]) => isUnknownScript(error))) {
      await redis.script('LOAD', this.#text);
      return this.runAll(redis, calls);
    }
    return results.map(([error, result]) => {
      if (error !== null) throw error;
      return result;
    });
  }
}

/** The elements of an answer; `null` for an answer that is no list. */
export function listOf(answer: unknown): readonly unknown[] | null {
  return Array.isArray(answer) ? answer : null;
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * The answers to HTTP requests as data, and how pages and scrapes are rendered once for many clients. The server writes
 * them to the socket.
 */
import type { OutgoingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Node.js sends no body for HEAD. */
  readonly body: string | Buffer;
}

/** Adds the headers that every answer has. The answer's own headers win. */
export function withCommonHeaders({ body, headers, status }: Answer): Answer {
  const common = {
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
  return { status, headers: { ...common, ...headers }, body };
}

export function textAnswer(status: number, body: string, headers: OutgoingHttpHeaders = {}) {
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  return withCommonHeaders({ status, headers: { ...type, ...headers }, body });
}

/** @param members the members of one JSON object, each as text such as `"quotas":[]` */
export function jsonAnswer(members: readonly string[], status = 200) {
  return textAnswer(status, `{${members.join(',')}}`, { 'Content-Type': 'application/json' });
}

export const notFound = textAnswer(404, 'not found\n');
export const internalError = textAnswer(500, 'internal error; the log says more\n');

interface Rendering<T> {
  /** `null` while it waits for an earlier rendering. */
  begunAtMs: number | null;
  /** A promise until it is rendered. */
  result: T | Promise<T>;
}

/**
 * Creates a function that renders what a key stands for: one key at a time, and each at most once in an interval. All
 * calls in the interval get the same result, so no result is older than the interval. A failure is not kept.
 *
 * @param max number of results that are kept; a further key replaces the oldest
 * @param now a clock that may be set back, in milliseconds
 */
export function createRenderer<T>(minIntervalMs: number, max: number, now: () => number) {
  const renderings = new Map<string, Rendering<T>>();
  /** Settles when all renderings until now have ended. */
  let last: Promise<unknown> = Promise.resolve();
  const isRecent = ({ begunAtMs }: Rendering<T>) =>
    begunAtMs === null || Math.abs(now() - begunAtMs) < minIntervalMs;
  return (key: string, render: () => Promise<T>): T | Promise<T> => {
    const current = renderings.get(key);
    if (current !== undefined && isRecent(current)) return current.result;
    const result = last.then(() => {
      rendering.begunAtMs = now();
      return render();
    });
    const rendering: Rendering<T> = { begunAtMs: null, result };
    last = result.then(
      (rendered) => {
        rendering.result = rendered;
      },
      () => renderings.delete(key),
    );
    for (const [oldKey, old] of renderings) if (!isRecent(old)) renderings.delete(oldKey);
    renderings.set(key, rendering);
    const [oldest] = renderings.keys();
    if (renderings.size > max && oldest !== undefined) renderings.delete(oldest);
    return result;
  };
}

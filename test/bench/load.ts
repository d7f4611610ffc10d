/** Load on a server, made by wrk: it costs less than what it measures, at bodies of megabytes too. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Encoding = 'identity' | 'gzip';

export interface Load {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

export function rates(loads: readonly Load[]): number[] {
  return loads.map(({ requestsPerSecond }) => requestsPerSecond);
}

export function p99sMs(loads: readonly Load[]): number[] {
  return loads.map(({ p99Ms }) => p99Ms);
}

/**
 * Ten connections that ask without a pause.
 *
 * @throws when an answer is not 200, or a connection fails
 */
export async function load(
  url: string,
  encoding: Encoding,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Load> {
  const { stdout } = await run('wrk', [
    ...['--threads', '1', '--connections', '10', '--timeout', '60s', '--latency'],
    ...['--duration', `${Math.ceil(seconds)}s`, '--header', `Accept-Encoding: ${encoding}`],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    url,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} failed:\n${stdout}`);
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s|m)\s/.exec(stdout) ?? [];
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99Ms: Number(p99) * ({ us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit] ?? NaN),
  };
}

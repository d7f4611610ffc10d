/** The parts of the process that a daemon, `check` and `init` get from their command, and the version of the program. */
import { readFileSync } from 'node:fs';
import type { CallTools } from '../api/call.ts';
import type { CredentialsTools } from '../credentials/credentials-type.ts';
import type { BuildInfo } from '../model/monitor-status.ts';

/** Clock, random numbers, environment variables and calls to file systems. Tests pass their own. */
export type Runtime = Pick<CallTools, 'clock' | 'random'> &
  Pick<CredentialsTools, 'env' | 'fileCalls'>;

/** The `User-Agent` of requests to the service. */
export function userAgentOf({ version }: BuildInfo): string {
  return `cvm-quota-monitor/${version}`;
}

/** The URL of the folder of the runbooks of this version: what `links.runbooks` defaults to. */
export function runbooksOf({ version }: BuildInfo): string {
  return `https://github.com/example-org/cvm-quota-monitor/blob/v${version}/docs/runbooks`;
}

/**
 * Version and revision of the program. The version is that of the package, empty if the package has none. The revision is
 * that of the image, empty outside an image.
 */
export function readBuildInfo(env: NodeJS.ProcessEnv): BuildInfo {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : '';
  return { version, revision: env['CVM_QUOTA_MONITOR_REVISION'] ?? '' };
}

import { readFileSync } from 'node:fs';
import type { BuildInfo } from '../model/monitor-status.ts';

/** The name of the program in requests to the service. */
export function userAgentOf({ version }: BuildInfo): string {
  return `cvm-quota-monitor/${version}`;
}

/**
 * Version and revision of the program. The version is that of the package, the revision that of the image.
 *
 * @param env contains the revision in the image
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

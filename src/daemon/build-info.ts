import { readFileSync } from 'node:fs';
import type { BuildInfo } from '../model/build-info.ts';

/** How the program names itself to the service. */
export function userAgentOf({ version }: BuildInfo): string {
  return `cvm-quota-monitor/${version}`;
}

/**
 * What is running. The version is the package's; the revision is what the image was built from.
 *
 * @param env where the image puts the revision
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

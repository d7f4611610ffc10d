/** Gives the npm configuration of this machine to a build. Nothing of it is stored in the image. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/**
 * Flags for `buildah build`: the registry, proxies and certificates of this machine, and the settings of
 * its user.
 *
 * @param directory for the mounted file; it must exist until the end of the build
 */
export async function npmVolumes(directory: string): Promise<string[]> {
  const config = JSON.parse(await runProgram('npm', ['config', 'list', '--json']));
  const cafile = config.cafile ?? process.env.NODE_EXTRA_CA_CERTS ?? '';
  const settings = {
    registry: config.registry,
    proxy: config.proxy,
    'https-proxy': config['https-proxy'],
    noproxy: config.noproxy,
    'strict-ssl': config['strict-ssl'],
    cafile,
  };
  const lines = Object.entries(settings)
    .map(([name, value]) => [name, String(value ?? '')])
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}\n`);
  const npmrc = join(directory, 'npmrc');
  writeFileSync(npmrc, lines.join(''));

  const mounts: [string, string][] = [
    [npmrc, '/usr/local/etc/npmrc'],
    [config.userconfig, '/root/.npmrc'],
    [cafile, cafile],
  ];
  return mounts
    .filter(([from]) => existsSync(from))
    .map(([from, to]) => `--volume=${from}:${to}:ro`);
}

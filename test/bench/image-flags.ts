import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The flags of Node.js in the image.
 *
 * @param root the directory of the Dockerfile
 */
export function imageFlags(root = '.'): string[] {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, options] = /NODE_OPTIONS="(.+?)"/.exec(dockerfile) ?? [];
  const [, entrypoint] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  if (options === undefined || entrypoint === undefined) throw new Error('no flags in Dockerfile');
  const [, ...flags] = JSON.parse(entrypoint) as string[];
  return [...options.split(' '), ...flags.slice(0, -1)];
}

import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { repository } from '../support/docs/markdown.ts';

const check = (directory: string) =>
  execFileSync(process.execPath, ['.config/picture.js', '--check'], {
    cwd: directory,
    stdio: 'pipe',
  });

test('docs/status-page.png shows the page as it is now: npm run picture', () => {
  check(repository);
});

test.each(['src/expose/page/page.css', 'src/commands/demo-config.yaml', 'config/demo.yaml'])(
  'a picture is old when %s has changed since',
  async (path) => {
    const directory = await temporaryDirectory();
    for (const part of [
      '.config/picture.js',
      'src/expose',
      'src/commands/demo.ts',
      'src/commands/demo-config.yaml',
      'config/demo.yaml',
      'docs/status-page.png.sha256',
    ])
      cpSync(join(repository, part), join(directory, part), { recursive: true });
    appendFileSync(join(directory, path), '\n');

    expect(() => check(directory)).toThrow(/npm run picture/);
  },
);

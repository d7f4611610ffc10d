/** `completion`: a script for each shell, which names every command. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { run } from '../../support/program.ts';

const commands = ['serve', 'demo', 'check', 'check-config', 'emulate', 'init', 'print-policy'];

test.each(['bash', 'zsh', 'fish'])('The script for %s names commands and flags', async (shell) => {
  const { code, stdout } = await run('completion', { flags: [shell] });

  expect(code).toBe(0);
  for (const word of [...commands, 'config.file', 'storage.path']) expect(stdout).toContain(word);
});

test('bash completes a command and a flag', async () => {
  const { stdout } = await run('completion', { flags: ['bash'] });
  const file = join(await temporaryDirectory(), 'completion.bash');
  await writeFile(file, stdout);
  const complete = (...words: readonly string[]) =>
    execFileSync(
      'bash',
      [
        ...['--norc', '-c'],
        `source '${file}'
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
$(complete -p cvm-quota-monitor | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
    );

  expect(complete('cvm-quota-monitor', 'ser')).toContain('serve');
  expect(complete('cvm-quota-monitor', 'serve', '--storage')).toContain('--storage.path');
});

test('completion for an unknown shell is an error', async () => {
  expect((await run('completion', { flags: ['powershell'] })).code).toBe(1);
});

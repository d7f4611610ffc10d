/** The lists in the documentation are complete: commands, routes of the emulator, log lines of the daemon. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../../src/commands/program.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { repository } from '../../support/docs/markdown.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

test('docs/command-line.md says what each command does', async () => {
  const page = read('docs/command-line.md');
  const { commands } = await createProgram();
  const names = commands.map((command) => command.name());

  expect(names.filter((name) => !page.includes(`\n| \`${name}\``))).toEqual([]);
});

test('docs/emulator.md says what each route of the emulator does', async () => {
  const page = read('docs/emulator.md');
  const emulator = await createEmulator();
  const { body } = emulator.handle({ method: 'GET', target: '/_emulator/', headers: {} });
  const { routes } = JSON.parse(body) as { routes: string[] };
  const documented = [...page.matchAll(/^\| `([A-Z]+ [^`?]+)/gm)].map(([, route]) => route);

  expect(routes.length).toBeGreaterThan(0);
  expect(documented).toEqual(expect.arrayContaining(routes));
});

test('docs/operations.md lists what the daemon logs by itself', () => {
  const page = read('docs/operations.md');
  const paths = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.includes('emulat'),
  );
  const messages = paths.flatMap((path) =>
    [...read(join('src', path)).matchAll(/ogger\.(?:info|warn|error)\(\s*(['"])(.+?)\1/g)].map(
      ([, , message]) => message!,
    ),
  );

  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((message) => !page.includes(`\n| \`${message}\``))).toEqual([]);
});

/** `.config/tool` installs the tools of development whole or not at all, with a stub in the place of npm. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { runProgram } from '../support/run-program.ts';

const original = fileURLToPath(new URL('../../.config/tool', import.meta.url));

/** As npm: it removes what is there, and ends with the lock file that it leaves in node_modules. */
const installs = `#!/bin/sh
echo "$*" >> "$INSTALLATIONS"
cd "$3"
rm -r node_modules 2>/dev/null
mkdir node_modules
sleep 0.3
mkdir node_modules/.bin || exit 217
printf '#!/bin/sh\\necho hello\\n' > node_modules/.bin/greet
chmod +x node_modules/.bin/greet
touch node_modules/.package-lock.json
`;

/** Leaves what an interrupted npm can leave. */
const breaksOff = `#!/bin/sh
mkdir "$3/node_modules"
touch "$3/node_modules/.package-lock.json"
exit 217
`;

/** A clone without tools. */
async function clone() {
  const directory = await temporaryDirectory();
  const tools = join(directory, 'tools');
  const log = join(directory, 'installations');
  await mkdir(tools);
  await mkdir(join(directory, 'bin'));
  await cp(original, join(directory, 'tool'));
  for (const name of ['.npmrc', 'package.json', 'package-lock.json'])
    await writeFile(join(tools, name), '');
  await writeFile(log, '');
  const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, INSTALLATIONS: log };
  return {
    tools,
    use: () => runProgram(join(directory, 'tool'), ['greet'], env),
    npmIs: (script: string) =>
      writeFile(join(directory, 'bin/npm'), script, { mode: 0o755, flag: 'w' }),
    installations: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
  };
}

test('two first uses at a time install once, and both run their tool', async () => {
  const { npmIs, use, installations, tools } = await clone();
  await npmIs(installs);

  const outputs = await Promise.all([use(), use()]);

  expect(outputs).toEqual(['hello', 'hello']);
  expect(await installations()).toBe(1);
  expect((await readdir(tools)).toSorted()).toEqual([
    ...['.npmrc', 'node_modules', 'package-lock.json', 'package.json'],
  ]);
});

test('an installation that breaks off leaves nothing, and the next use installs', async () => {
  const { npmIs, use, tools } = await clone();
  await npmIs(breaksOff);

  await expect(use()).rejects.toMatchObject({ code: 217 });
  expect(await readdir(tools)).not.toContain('node_modules');
  await npmIs(installs);

  expect(await use()).toBe('hello');
});

test('a use after a change of the lock file installs again', async () => {
  const { npmIs, use, installations, tools } = await clone();
  await npmIs(installs);
  await use();

  await writeFile(join(tools, 'package-lock.json'), 'another');

  expect(await use()).toBe('hello');
  expect(await installations()).toBe(2);
});

test('a process that was killed while it installed does not block the next one', async () => {
  const { npmIs, use, tools } = await clone();
  await npmIs(installs);
  const { pid } = spawnSync('true');
  await symlink(String(pid), join(tools, '.installing'));
  await mkdir(join(tools, `.installing.${pid}`));

  expect(await use()).toBe('hello');
  expect((await readdir(tools)).filter((name) => name.startsWith('.installing'))).toEqual([]);
});

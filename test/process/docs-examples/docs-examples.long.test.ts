/** Every console example of the documentation prints what the documentation shows. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { mainFile, start as startCommand, startProgram } from '../../support/program.ts';
import {
  examplesOf,
  outputsOf,
  patternOf,
  scriptOf,
  type Example,
  type Needs,
} from './console-examples.ts';
import { readPages } from '../../support/docs/markdown.ts';
import { hasProgram } from '../../support/programs.ts';

/** Programs that examples use besides our own, and what brings them. */
const debianPackages: Readonly<Record<string, string>> = {
  curl: 'curl',
  jq: 'jq',
  promtool: 'prometheus',
};

function canRun({ steps }: Example): boolean {
  const words = steps.flatMap(({ command }) => command.split(/\s+/));
  return Object.entries(debianPackages)
    .filter(([program]) => words.includes(program))
    .every(([program, debianPackage]) => hasProgram(program, debianPackage));
}

const pastTheFirstRollout = '35s';

async function advance(emulatorUrl: string): Promise<void> {
  const body = JSON.stringify({ advance: pastTheFirstRollout });
  await fetch(`${emulatorUrl}/_emulator/time`, { method: 'POST', body });
}

/** Starts what an example needs, and gives the address that the documentation has, and the true one. */
async function start(needs: Needs): Promise<readonly [string, string]> {
  if (needs === 'nothing') return ['', ''];
  const name = needs === 'emulator' ? 'emulate' : 'demo';
  const command = await startCommand(name, { flags: ['--web.listen-address=127.0.0.1:0'] });
  if (needs === 'emulator') {
    const [, url = ''] = await command.shows(/ url=(\S+)/);
    await advance(url);
    return ['127.0.0.1:10043', new URL(url).host];
  }
  const [, url = ''] = await command.shows(/Open (\S+)\/ for the status page/);
  const [, emulatorUrl = ''] = await command.shows(/emulated service is at (\S+)\./);
  while (!(await fetch(`${url}/-/ready`)).ok) await delay(50);
  await advance(emulatorUrl);
  const changes = `${url}/api/v1/changes?kind=default-version-changed`;
  while ((await (await fetch(changes)).text()).includes('"changes":[]')) await delay(50);
  return ['localhost:10042', new URL(url).host];
}

async function run({ needs, files, steps }: Example): Promise<readonly string[]> {
  const directory = await temporaryDirectory();
  const [documented, actual] = await start(needs);
  const adapted = (text: string) =>
    documented === '' ? text : text.replaceAll(documented, actual);
  for (const [name, text] of files) await writeFile(join(directory, name), adapted(text));
  const program = join(directory, 'cvm-quota-monitor');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`);
  await chmod(program, 0o755);
  // In a clone, npx finds the program of the clone.
  await writeFile(join(directory, 'npx'), '#!/bin/sh\nexec "$@"\n');
  await chmod(join(directory, 'npx'), 0o755);
  const script = `cd "${directory}"; exec 2>&1\n${adapted(scriptOf(steps))}`;
  const env = { PATH: `${directory}:${process.env.PATH}`, HOME: directory };
  const { stdout } = await startProgram('bash', ['-c', script], env).result;
  return outputsOf(stdout);
}

const examples = readPages().flatMap(({ path, text }) =>
  examplesOf(text)
    .filter(canRun)
    .map((example) => [path, example.line, example] as const),
);

test.each(examples)(
  'the example of %s, line %i, prints what it shows',
  async (...[, , example]) => {
    const outputs = await run(example);

    expect(outputs).toHaveLength(example.steps.length);
    for (const [i, { command, output }] of example.steps.entries()) {
      expect(outputs[i], `$ ${command}`).toMatch(patternOf(output));
    }
  },
);

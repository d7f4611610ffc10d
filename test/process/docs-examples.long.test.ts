/**
 * Every console example of the documentation prints what the documentation shows. An example is a ```console block
 * that shows output. Its commands begin with `$ ` and run one after the other in one shell. A command ends with its
 * line, unless the line ends with `\` or `|`. The following lines are its output, with standard error: a line `…`
 * matches any number of lines, and `…` in a line any text.
 *
 * A comment on the line before a block says what the block needs:
 * - `<!-- file: NAME -->` before a block of any language: later examples find the block as this file.
 * - `<!-- with: emulator -->`: an emulator at 127.0.0.1:10043, half a minute after the start of its scenario.
 * - `<!-- with: demo -->`: a demo at localhost:10042, after a change of a default version.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { mainFile, start as startCommand, startProgram } from '../support/program.ts';
import { codeBlocks, readPages } from '../support/docs/markdown.ts';
import { hasProgram } from '../support/programs.ts';

interface Step {
  readonly command: string;
  /** The expected lines, with `…` for text that varies. */
  readonly output: string;
}

type Needs = 'nothing' | 'emulator' | 'demo';

interface Example {
  readonly line: number;
  readonly needs: Needs;
  readonly steps: readonly Step[];
  /** The text of each file in earlier blocks of the page, by its name. */
  readonly files: ReadonlyMap<string, string>;
}

function examplesOf(page: string): readonly Example[] {
  const files = new Map<string, string>();
  const examples: Example[] = [];
  for (const { language, text, line, comment } of codeBlocks(page)) {
    const [, name] = /^file: (\S+)$/.exec(comment) ?? [];
    if (name !== undefined) files.set(name, text);
    if (language !== 'console') continue;
    const [, needs = 'nothing'] = /^with: (emulator|demo)$/.exec(comment) ?? [];
    const steps = stepsOf(text);
    if (steps.every(({ output }) => output === '')) continue;
    examples.push({ line, needs: needs as Needs, steps, files: new Map(files) });
  }
  return examples;
}

function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; output: string }[] = [];
  let continues = false;
  for (const line of text.trimEnd().split('\n')) {
    const step = steps.at(-1);
    if (continues && step !== undefined) step.command += `\n${line}`;
    else if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' });
    else if (step !== undefined) step.output += `${line}\n`;
    else throw new Error(`a console block begins with a command, not with ${line}`);
    continues = (continues || line.startsWith('$ ')) && /[\\|]$/.test(line);
  }
  return steps;
}

const separator = '--- end of the step ---';

/** A script that runs the steps. Each step gets the exit code of the previous step as `$?`. */
function scriptOf(steps: readonly Step[]): string {
  return steps
    .map(({ command }) => `${command}\ncode=$?; echo '${separator}'; (exit $code)\n`)
    .join('');
}

/** The output of each step of a script. The last line always ends with a newline. */
function outputsOf(printed: string): readonly string[] {
  const outputs = printed.split(`${separator}\n`).slice(0, -1);
  return outputs.map((output) => output.replace(/[^\n]$/, '$&\n'));
}

/** The pattern of an expected output. */
function patternOf(output: string): RegExp {
  const lines = output
    .split('\n')
    .slice(0, -1)
    .map((line) => (line === '…' ? '(?:.*\n)*?' : `${patternOfLine(line)}\n`));
  return new RegExp(`^${lines.join('')}$`);
}

function patternOfLine(line: string): string {
  return line
    .split('…')
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*');
}

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

/**
 * The examples of the documentation: every ```console block that shows output. Its commands begin with `$ `
 * and run one after the other in one shell. A command ends with its line, unless the line ends with `\` or
 * `|`. The following lines are its output, with standard error: a line `…` matches any number of lines,
 * and `…` in a line for any text.
 *
 * A comment on the line before a block says what the block needs:
 * - `<!-- file: NAME -->` before a block of any language: later examples find the block as this file.
 * - `<!-- with: emulator -->`: an emulator at 127.0.0.1:10043, as its scenario is half a minute after its start.
 * - `<!-- with: demo -->`: a demo at localhost:10042, after a change of a default version.
 *
 * Every block finds `plan.json` of this folder, a plan of Terraform that creates one instance.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFile } from '../../support/directories.ts';
import { codeBlocks } from '../../support/docs/markdown.ts';
import { start } from '../../support/program.ts';

interface Step {
  readonly command: string;
  /** The expected lines, with `…` for text that varies. */
  readonly output: string;
}

type Needs = 'nothing' | 'emulator' | 'demo';

export interface Example {
  readonly line: number;
  readonly needs: Needs;
  readonly steps: readonly Step[];
  /** The text of each file in earlier blocks of the page, by its name. */
  readonly files: ReadonlyMap<string, string>;
}

export function examplesOf(page: string): readonly Example[] {
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

/** Starts what an example needs, and gives the address that the documentation has, and the true one. */
export async function startNeeded(needs: Needs): Promise<readonly [string, string]> {
  if (needs === 'nothing') return ['', ''];
  const started = async (name: string, ...more: readonly string[]) => {
    const command = await start(name, { flags: ['--web.listen-address=127.0.0.1:0', ...more] });
    const address = /(?: url=|emulated service is at )(\S+?)\.?\s/;
    const [, emulatorUrl = ''] = await command.shows(address);
    return { command, emulatorUrl };
  };
  const { command, emulatorUrl } = await started(needs === 'emulator' ? 'emulate' : 'demo');
  const pastTheFirstRollout = { method: 'POST', body: JSON.stringify({ advance: '35s' }) };
  const advance = () => fetch(`${emulatorUrl}/_emulator/time`, pastTheFirstRollout);
  if (needs === 'emulator') {
    await advance();
    // Its state has no timeline: an example that takes long sees the same.
    const state = await (await fetch(`${emulatorUrl}/_emulator/state`)).text();
    const scenario = await temporaryFile('scenario.yaml', state);
    const standing = await started('emulate', `--scenario=${scenario}`);
    return ['127.0.0.1:10043', new URL(standing.emulatorUrl).host];
  }
  const [, url = ''] = await command.shows(/Open (\S+)\/ for the status page/);
  while (!(await fetch(`${url}/-/ready`)).ok) await delay(50);
  await advance();
  const changes = `${url}/api/v1/changes?kind=default-version-changed`;
  while ((await (await fetch(changes)).text()).includes('"changes":[]')) await delay(50);
  return ['localhost:10042', new URL(url).host];
}

const separator = '--- end of the step ---';

/** A script that runs the steps. Each step gets the exit code of the previous step as `$?`. */
export function scriptOf(steps: readonly Step[]): string {
  return steps
    .map(({ command }) => `${command}\ncode=$?; echo '${separator}'; (exit $code)\n`)
    .join('');
}

/** The output of each step of a script. The last line always ends with a newline. */
export function outputsOf(printed: string): readonly string[] {
  const outputs = printed.split(`${separator}\n`).slice(0, -1);
  return outputs.map((output) => output.replace(/[^\n]$/, '$&\n'));
}

/** The pattern of an expected output. */
export function patternOf(output: string): RegExp {
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

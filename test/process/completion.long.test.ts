/** Completion, in the shells themselves. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';
import { hasProgram } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';

/** The candidates of a shell for the end of a command line. */
type Candidates = (script: string, line: string, directory: string) => Promise<string[]>;
type Shell = readonly [name: string, candidates: Candidates];

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

/** Each candidate once, without what shells add to it, such as the flag before a value. */
async function complete([name, candidates]: Shell, line: string): Promise<string[]> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'config.yaml'), '');
  await mkdir(join(directory, 'data'));
  const script = join(await temporaryDirectory(), 'script');
  await writeFile(script, (await runHere(['completion', name])).stdout);
  const found = await candidates(script, `cvm-quota-monitor ${line}`, directory);
  const bare = found.map((each) => each.replace(/^--[\w.-]+=(?=.)/, '').replace(/[=/]$/, ''));
  return [...new Set(bare)];
}

const shells = (
  [
    [
      'bash',
      // Calls the function as readline does, with the words that it makes of the line.
      async (script, line, directory) => {
        const words = line
          .split(' ')
          .flatMap((word) => word.split(/(=)/))
          .filter((word, i, all) => word !== '' || i === all.length - 1);
        const ask = [
          'source "$0"',
          'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))',
          String.raw`$(complete -p cvm-quota-monitor | sed 's/.*-F \([^ ]*\) .*/\1/')`,
          '((${#COMPREPLY[@]})) && printf "%s\\n" "${COMPREPLY[@]}" || true',
        ];
        const args = ['--norc', '-c', ask.join('\n'), script, ...words];
        return lines(await runProgram('bash', args, {}, directory));
      },
    ],
    [
      'zsh',
      async (script, line, directory) => {
        const ask = join(import.meta.dirname, '../support/fixtures/process/completion.zsh');
        const args = ['--no-rcs', ask, script, line];
        const text = await runProgram('zsh', args, { TERM: 'dumb' }, directory);
        return [...text.matchAll(/<([^<>]+)>/g)].map(([, found]) => found!);
      },
    ],
    [
      'fish',
      async (script, line, directory) => {
        const ask = `source '${script}'; complete --do-complete '${line}'`;
        const found = lines(await runProgram('fish', ['--no-config', '-c', ask], {}, directory));
        return found.map((each) => each.split('\t', 1)[0]!);
      },
    ],
  ] satisfies Shell[]
).filter(([name]) => hasProgram(name, name));

test.each(shells)(
  'completion in %s offers commands, and what is named after some of them',
  async (...shell) => {
    const { commands } = await createProgram();
    const names = [...commands.map((command) => command.name()), 'help'];

    expect(await complete(shell, '')).toEqual(expect.arrayContaining(names));
    expect((await complete(shell, 'completion ')).toSorted()).toEqual(['bash', 'fish', 'zsh']);
    expect(await complete(shell, 'help pri')).toEqual(['print-policy']);
  },
);

test.each(shells)(
  'completion in %s offers every flag of a command, and none of another one',
  async (...shell) => {
    const { commands } = await createProgram();
    const { options } = commands.find((command) => command.name() === 'init')!;

    const flags = await complete(shell, 'init --');

    expect(new Set(flags)).toEqual(new Set([...options.map(({ long }) => long), '--help']));
    expect(await complete(shell, 'check --output=json --log.l')).toEqual(['--log.level']);
  },
);

test.each(shells)(
  'completion in %s offers the values of a flag: words, types of credentials, files and directories',
  async (...shell) => {
    const outputs = ['json', 'markdown', 'nagios', 'prometheus', 'scenario', 'table'];

    expect((await complete(shell, 'check --all --output=')).toSorted()).toEqual(outputs);
    expect((await complete(shell, 'check --output ')).toSorted()).toEqual(outputs);
    expect(await complete(shell, 'init --credentials=tke')).toEqual(['tke_oidc']);
    expect(await complete(shell, 'check --config.file=con')).toEqual(['config.yaml']);
    const paths = await complete(shell, 'serve --storage.path=');
    expect(paths.toSorted()).toEqual(['config.yaml', 'data']);
    expect(await complete(shell, 'check --account=')).toEqual([]);
  },
);

test('completion for an unknown shell is an error', async () => {
  expect((await runHere(['completion', 'powershell'])).code).toBe(1);
});

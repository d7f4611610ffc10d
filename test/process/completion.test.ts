/** Completion, in the shells themselves. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';
import { hasProgram } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';

const program = await createProgram();
const commandNames = [...program.commands.map((command) => command.name()), 'help'];

const flagsOfInit = program.commands
  .find((command) => command.name() === 'init')!
  .options.map(({ long }) => long!);

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  /** The candidates for the end of a command line. */
  readonly candidates: (script: string, line: string, directory: string) => Promise<string[]>;
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

/** Calls the function as readline does, with the words that it makes of the line. */
const bash: Shell = {
  name: 'bash',
  candidates: async (script, line, directory) => {
    const words = line
      .split(' ')
      .flatMap((word) => word.split(/(=)/))
      .filter((word, i, all) => word !== '' || i === all.length - 1);
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `source '${script}'
COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}
$(complete -p cvm-quota-monitor | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}" || true`;
    return lines(await runProgram('bash', ['--norc', '-c', ask], {}, directory));
  },
};

/** Types the line and a tab in a pseudo terminal, and takes the matches instead of showing them. */
const zsh: Shell = {
  name: 'zsh',
  candidates: async (script, line, directory) => {
    const ask = `zmodload zsh/zpty
zpty shell zsh --no-rcs --interactive
zpty -w shell 'PROMPT= RPROMPT=; autoload -Uz compinit && compinit -u -D; source ${script}
compadd() {
  local -a found options
  zparseopts -E -a options O: A: D:
  if (( $#options )); then builtin compadd "$@"; return; fi
  builtin compadd -O found "$@"
  builtin compadd "$@"
  print -rl -- "<"\${^found}">"
}
zstyle ":completion:*" list-grouped false; bindkey "^I" complete-word
ended() { print ENDED }; zle -N ended; bindkey "^Xe" ended; print READY'
zpty -r shell text '*READY*READY*'
zpty -w -n shell '${line}'$'\\t\\x18e'
zpty -r shell text '*ENDED*'
print -r -- "$text"
zpty -d shell`;
    const text = await runProgram('zsh', ['--no-rcs', '-c', ask], { TERM: 'dumb' }, directory);
    return [...text.matchAll(/<([^<>]+)>/g)].map(([, found]) => found!);
  },
};

const fish: Shell = {
  name: 'fish',
  candidates: async (script, line, directory) => {
    const ask = `source '${script}'; complete --do-complete '${line}'`;
    const found = lines(await runProgram('fish', ['--no-config', '-c', ask], {}, directory));
    return found.map((each) => each.split('\t', 1)[0]!);
  },
};

const shells = [bash, zsh, fish]
  .filter(({ name }) => hasProgram(name, name))
  .map((shell) => [shell.name, shell] as const);

/** Each candidate once, without what shells add to it, such as the flag before a value. */
async function complete({ name, candidates }: Shell, line: string): Promise<string[]> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'config.yaml'), '');
  await mkdir(join(directory, 'data'));
  const script = join(await temporaryDirectory(), 'script');
  await writeFile(script, (await runHere(['completion', name])).stdout);
  const found = await candidates(script, `cvm-quota-monitor ${line}`, directory);
  const bare = found.map((each) => each.replace(/^--[\w.-]+=(?=.)/, '').replace(/[=/]$/, ''));
  return [...new Set(bare)];
}

test.each(shells)(
  'completion in %s offers commands, and what is named after some of them',
  async (_name, shell) => {
    expect(await complete(shell, '')).toEqual(expect.arrayContaining(commandNames));
    expect((await complete(shell, 'completion ')).toSorted()).toEqual(['bash', 'fish', 'zsh']);
    expect(await complete(shell, 'help pri')).toEqual(['print-policy']);
  },
);

test.each(shells)(
  'completion in %s offers every flag of a command, and none of another one',
  async (_name, shell) => {
    const flags = await complete(shell, 'init --');

    expect(new Set(flags)).toEqual(new Set([...flagsOfInit, '--help']));
    expect(await complete(shell, 'check --output=json --log.l')).toEqual(['--log.level']);
  },
);

test.each(shells)(
  'completion in %s offers the values of a flag: words, types of credentials, files and directories',
  async (_name, shell) => {
    const outputs = ['json', 'nagios', 'prometheus', 'scenario', 'table'];

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

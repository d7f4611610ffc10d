import { lstat, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { credentialsSchema } from '../config/credentials-schema.ts';
import { fieldsOf, typeNames, type CredentialsType } from '../config/credentials-types.ts';
import type { Surroundings } from '../daemon/surroundings.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { explainIssues, type ExplainedIssue } from '../validation/explain.ts';
import { suggestion } from '../validation/nearest.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { check } from './check.ts';
import { print, processSurroundings, UsageError, type ExitWith } from './command.ts';
import { configText, type Answers } from './init/config-text.ts';
import { findWatched } from './init/found.ts';
import { InterruptedError, questionsAtTerminal, type Questions } from './init/questions.ts';
import { examples, namesOption, type ConfigFlags } from './options.ts';
import { exitCodeOf } from './signals.ts';

interface InitFlags extends ConfigFlags {
  readonly account?: string;
  readonly credentials?: CredentialsType;
  readonly region?: readonly string[];
  readonly launchTemplate?: readonly string[];
  readonly endpoint?: string;
}

/** Keys of credentials and their texts, without the type. */
type Keys = ReadonlyMap<string, string>;

/** `init`: writes a configuration for the regions and templates that credentials find, and checks it. */
export function initCommand(exitWith: ExitWith): Command {
  const keys = [...new Set(typeNames.flatMap((type) => keysOf(type).map(([key]) => key)))];
  const options = keys.map((key) => {
    const value = key.endsWith('file') ? 'path' : 'value';
    return new Option(`${flagOf(key)} <${value}>`, `the key ${key} of the credentials`);
  });
  const command = new Command('init')
    .option('--config.file <path>', 'the file to write; never overwritten', 'config.yaml')
    .option('--account <name>', 'the name of the account in metrics; default: production')
    .addOption(
      new Option('--credentials <type>', 'where the credentials come from').choices(typeNames),
    );
  for (const option of options) command.addOption(option);
  return command
    .addOption(
      namesOption('--region <name>', 'a region to watch, or all for every region; may be repeated'),
    )
    .addOption(
      namesOption(
        '--launch-template <id>',
        'a launch template to watch, or all; may be repeated; default: all',
      ),
    )
    .option('--endpoint <url>', 'the base URL of the service, such as that of an emulator')
    .addHelpText(
      'after',
      `
At a terminal, init asks for the name of the account, its credentials, and what is watched, as far as no flag says it.
It exits with the code of the check: 0, 1, 2 or 3. 3 also means that nothing was written. 130 when interrupted.
${examples(
  ['init', 'asks questions'],
  [
    'init --credentials=environment --region=ap-guangzhou',
    'asks nothing but the name of the account',
  ],
  ['init --credentials=none --region=all --endpoint=http://127.0.0.1:10043', 'for an emulator'],
)}`,
    )
    .action(async (flags: InitFlags) => {
      const given = keys.flatMap((key, i): [string, string][] => {
        const value: unknown = command.getOptionValue(options[i]?.attributeName() ?? '');
        return typeof value === 'string' ? [[key, value]] : [];
      });
      exitWith(await init(flags, new Map(given)));
    });
}

/** The keys of a type, without the type itself. */
function keysOf(type: CredentialsType): [key: string, schema: z.ZodType][] {
  return Object.entries(fieldsOf(type)).filter(([key]) => key !== 'type');
}

/** The flag of a key. */
function flagOf(key: string): string {
  return `--credentials.${key.replaceAll('_', '-')}`;
}

/**
 * Writes the file only when every answer is known and valid, and the service has listed what is watched.
 *
 * @param keys the keys of the credentials that are given by flags
 * @returns the exit code of the check; that of a shell for SIGINT when the user ends the questions
 * @throws UsageError when a flag is missing or wrong, the service refuses, or the file cannot be written
 */
async function init(flags: InitFlags, keys: Keys): Promise<number> {
  const file = flags['config.file'];
  if (file === '-') throw new UsageError('init writes a file: --config.file needs its name');
  await refuseExisting(file);
  const questions = questionsAtTerminal();
  if (questions === null) refuseMissing(flags, keys);
  const surroundings = processSurroundings();
  try {
    const answers = await answersOf(flags, keys, { questions, surroundings });
    await writeNewFile(file, configText(answers));
  } catch (error) {
    if (error instanceof InterruptedError) return exitCodeOf('SIGINT');
    throw error;
  }
  note(`${file} is written; this is what check says about it`);
  const checkFlags = { output: 'table', all: false, 'log.level': 'warn' } as const;
  const code = await check(
    { 'config.file': file, 'log.format': 'logfmt', ...checkFlags },
    surroundings,
  );
  if (code <= 3) print(`\nNext: cvm-quota-monitor serve --config.file=${file}\n`);
  return code;
}

function refuseMissing({ credentials, region }: InitFlags, keys: Keys): void {
  const missing = [
    ...(credentials === undefined
      ? ['--credentials']
      : requiredKeys(credentials).flatMap(([key]) => (keys.has(key) ? [] : [flagOf(key)]))),
    ...(region === undefined ? ['--region'] : []),
  ];
  if (missing.length === 0) return;
  throw new UsageError(`without a terminal, init cannot ask for ${missing.join(', ')}`);
}

/** The keys without which credentials of a type are invalid. */
function requiredKeys(type: CredentialsType): [key: string, schema: z.ZodType][] {
  return keysOf(type).filter(([, schema]) => !schema.safeParse(undefined).success);
}

interface AnswerSources {
  readonly questions: Questions | null;
  readonly surroundings: Surroundings;
}

async function answersOf(
  flags: InitFlags,
  keys: Keys,
  { questions, surroundings }: AnswerSources,
): Promise<Answers> {
  const draft: Answers = {
    account: flags.account ?? 'production',
    credentials: { type: 'none' },
    endpoint: flags.endpoint ?? null,
    regions: null,
  };
  const judge = (account: string) => problemOfDraft({ ...draft, account });
  const account =
    flags.account ?? (await questions?.ask('Name of the account in metrics', judge, draft.account));
  const named = { ...draft, account: account ?? draft.account };
  refuseInvalid(named);
  const start = { ...named, credentials: await chooseCredentials(flags, keys, questions) };
  const region = flags.region?.join(',') ?? (await askRegions(questions));
  const templates = flags.launchTemplate?.join(',') ?? 'all';
  const config = parseConfig(configText(start), 'init', collectors);
  const regions = await findWatched({ region, templates }, config, { surroundings, note });
  const answers = { ...start, regions };
  refuseInvalid(answers);
  return answers;
}

async function askRegions(questions: Questions | null): Promise<string> {
  const question = 'Watch all regions with their launch templates, or names with commas';
  return (await questions?.ask(question, () => null, 'all')) ?? 'all';
}

/** @throws UsageError which names each flag that is wrong, without its value */
async function chooseCredentials(
  flags: InitFlags,
  keys: Keys,
  questions: Questions | null,
): Promise<Readonly<Record<string, unknown>>> {
  const type = flags.credentials ?? (await askType(questions));
  const asked = new Map(keys);
  for (const [key, schema] of requiredKeys(type)) {
    if (asked.has(key) || questions === null) continue;
    const judge = (value: string) => problemsOf(schema, value)[0]?.message ?? null;
    asked.set(key, await questions.ask(key, judge));
  }
  const { source, ...others } = Object.fromEntries(asked);
  const chosen = { type, ...others, ...(source !== undefined && { source: { type: source } }) };
  const lines = problemsOf(credentialsSchema, chosen).map(
    ({ path, message }) => `${flagOf(String(path[0] ?? ''))}: ${message}`,
  );
  if (lines.length > 0) throw new UsageError([...new Set(lines)].join('\nerror: '));
  return chosen;
}

async function askType(questions: Questions | null): Promise<CredentialsType> {
  questions?.show('Where do the credentials come from?');
  for (const name of typeNames) {
    const { description = '' } = fieldsOf(name)['type'] ?? {};
    questions?.show(`  ${name.padEnd(12)} ${description}`);
  }
  const judge = (answer: string) =>
    typeNames.some((name) => name === answer)
      ? null
      : `expected one of them${suggestion(answer, typeNames)}`;
  const answer = await questions?.ask('Credentials', judge, 'default');
  return typeNames.find((name) => name === answer) ?? 'default';
}

/** What is wrong with a value, without the value. */
function problemsOf(schema: z.ZodType, value: unknown): readonly ExplainedIssue[] {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : explainIssues(error.issues, { schema, value });
}

function refuseInvalid(answers: Answers): void {
  const problem = problemOfDraft(answers);
  if (problem !== null) throw new UsageError(problem);
}

/** The flag of each key that a draft may have wrong. */
const flagOfPath: ReadonlyMap<string, string> = new Map([
  ['accounts[0].name', '--account'],
  ['api.endpoint', '--endpoint'],
]);

/** The first mistake in a draft. */
function problemOfDraft(draft: Answers): string | null {
  try {
    parseConfig(configText(draft), 'init', collectors);
    return null;
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    const [{ path, message } = { path: '', message: error.message }] = error.problems;
    return `${flagOfPath.get(path) ?? path}: ${message}`;
  }
}

/** @throws UsageError when something has the name, also a broken link, or when the directory cannot be used */
async function refuseExisting(file: string): Promise<void> {
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw unwritable(file, 'EEXIST');
  const problem = await stat(dirname(file)).then(
    (directory) => (directory.isDirectory() ? null : `${dirname(file)} is no directory`),
    messageOf,
  );
  if (problem !== null) throw unwritable(file, undefined, problem);
}

/** Writes the whole file or nothing, and replaces none that appeared in between. */
async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EEXIST') await unlink(file).catch(() => undefined);
    throw unwritable(file, code, messageOf(error));
  }
}

function unwritable(file: string, code: string | undefined, reason = ''): UsageError {
  return new UsageError(
    code === 'EEXIST'
      ? `${file} is there already, and init never overwrites: choose another name with --config.file`
      : `${file} cannot be written: ${reason}`,
  );
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

import { unlink, writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig, type Config } from '../config/config.ts';
import { credentialsSchema } from '../config/credentials-schema.ts';
import { fieldsOf, typeNames, type CredentialsType } from '../config/credentials-types.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
import { explainable, explainIssues, type ExplainedIssue } from '../validation/explain.ts';
import { suggestion } from '../validation/nearest.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { printReport } from './check.ts';
import { note, print, processSurroundings, UsageError, type ExitWith } from './command.ts';
import { configText, type Answers } from './init/config-text.ts';
import { watchedRegions } from './init/found.ts';
import { ask, isAtTerminal } from './init/questions.ts';
import { examples, repeated, type ConfigFlags } from './options.ts';
import { pollAll } from './poll-all.ts';

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
    .option(
      '--region <name>',
      'a region to watch, or all for every region; may be repeated',
      repeated,
    )
    .option(
      '--launch-template <id>',
      'a launch template to watch, or all; may be repeated; default: all',
      repeated,
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
 * Polls what may be watched. Writes the file only when every answer is valid, and the service has listed what is
 * watched.
 *
 * @param keys the keys of the credentials that are given by flags
 * @returns the exit code of the check
 * @throws UsageError when a flag is missing or wrong, the service refuses, or the file cannot be written
 * @throws InterruptedError when the user ends the questions
 */
async function init(flags: InitFlags, keys: Keys): Promise<number> {
  const file = flags['config.file'];
  if (file === '-') throw new UsageError('init writes a file: --config.file needs its name');
  // Before the first question: whether it can be written at all.
  await writeNewFile(file, '');
  await unlink(file);
  const answers = await answersOf(flags, keys);
  const templates = templatesOf(flags);
  if (answers.regions === null && templates !== null) {
    throw new UsageError(
      '--launch-template: with every region, watch all: a template ID belongs to one region',
    );
  }
  const polling = {
    config: parseAnswers(answers),
    collectors,
    isWanted: ({ resource }: Target) => {
      const id = resource?.['template_id'];
      return id === undefined || templates === null || templates.includes(id);
    },
  };
  const surroundings = processSurroundings();
  const { records } = await pollAll({
    ...polling,
    surroundings,
    timeLimit: new AbortController().signal,
    log: { level: 'error', format: 'logfmt' },
  });
  const regions = watchedRegions(answers, records, templates);
  await writeNewFile(file, configText({ ...answers, regions }));
  note(`${file} is written; this is what check says about it`);
  const nowMs = surroundings.clock.now();
  const code = await printReport(records, { ...polling, output: 'table', all: false, nowMs });
  print(`\nNext: cvm-quota-monitor serve --config.file=${file}\n`);
  return code;
}

/** The IDs that the flags name. `null` for all. */
function templatesOf({ launchTemplate = ['all'] }: InitFlags): readonly string[] | null {
  const names = namesOf(launchTemplate.join());
  return names.includes('all') ? null : names;
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

/** The answers, with all templates of each region. */
async function answersOf(flags: InitFlags, keys: Keys): Promise<Answers> {
  const region = flags.region?.join();
  const given: Answers = {
    account: flags.account ?? 'production',
    credentials: { type: 'none' },
    endpoint: flags.endpoint ?? null,
    regions: regionsOf(region ?? 'all'),
  };
  parseAnswers(given);
  if (!isAtTerminal()) refuseMissing(flags, keys);
  const judgeAccount = (account: string) => problemOf({ ...given, account });
  const account =
    flags.account ?? (await ask('Name of the account in metrics', judgeAccount, given.account));
  const credentials = await chooseCredentials(flags, keys);
  const judgeRegions = (text: string) => problemOf({ ...given, regions: regionsOf(text) });
  const question = 'Watch all regions with their launch templates, or names with commas';
  const regions = regionsOf(region ?? (await ask(question, judgeRegions, 'all')));
  return { ...given, account, credentials, regions };
}

/** The regions of a text: `all`, or names with commas. */
function regionsOf(text: string): Answers['regions'] {
  return text === 'all' ? null : new Map(namesOf(text).map((name) => [name, 'all']));
}

/** Each name once. */
function namesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** @throws UsageError which names each flag that is wrong, without its value */
async function chooseCredentials(flags: InitFlags, keys: Keys): Promise<Answers['credentials']> {
  const type = flags.credentials ?? (await askType());
  const asked = new Map(keys);
  for (const [key, schema] of requiredKeys(type)) {
    if (asked.has(key)) continue;
    asked.set(key, await ask(key, (value) => problemsOf(schema, value)[0]?.message ?? null));
  }
  const { source, ...others } = Object.fromEntries(asked);
  const chosen = { type, ...others, ...(source !== undefined && { source: { type: source } }) };
  const lines = problemsOf(credentialsSchema, chosen).map(
    ({ path, message }) => `${flagOf(String(path[0] ?? ''))}: ${message}`,
  );
  if (lines.length > 0) throw new UsageError([...new Set(lines)].join('\nerror: '));
  return chosen;
}

async function askType(): Promise<CredentialsType> {
  note('Where do the credentials come from?');
  for (const name of typeNames) {
    const { description = '' } = fieldsOf(name)['type'] ?? {};
    note(`  ${name.padEnd(12)} ${description}`);
  }
  const typeOf = (answer: string) => typeNames.find((name) => name === answer);
  const judge = (answer: string) =>
    typeOf(answer) === undefined ? `expected one of them${suggestion(answer, typeNames)}` : null;
  return typeOf(await ask('Credentials', judge, 'default')) ?? 'default';
}

/** What is wrong with a value, without the value. */
function problemsOf(schema: z.ZodType, value: unknown): readonly ExplainedIssue[] {
  const { error } = schema.safeParse(value, explainable);
  return error === undefined ? [] : explainIssues(error.issues);
}

/** The flags of keys that answers may have wrong. */
const flagsOfPaths = {
  'accounts[0].name': '--account',
  'accounts[0].regions': '--region',
  'api.endpoint': '--endpoint',
};

/** @throws UsageError with the first mistake in the answers */
function parseAnswers(answers: Answers): Config {
  try {
    return parseConfig(configText(answers), 'init', collectors);
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    const [{ path, message } = { path: '', message: error.message }] = error.problems;
    const [, flag] = Object.entries(flagsOfPaths).find(([start]) => path.startsWith(start)) ?? [];
    throw new UsageError(`${flag ?? path}: ${message}`);
  }
}

/** The first mistake in answers, or `null`. */
function problemOf(answers: Answers): string | null {
  try {
    parseAnswers(answers);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Writes the whole file or nothing.
 *
 * @throws UsageError when something has the name, also a broken link, or the file cannot be written
 */
async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      const advice = 'init never overwrites: choose another name with --config.file';
      throw new UsageError(`${file} is there already, and ${advice}`);
    }
    await unlink(file).catch(() => undefined);
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`);
  }
}

import { unlink, writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { fieldsOf, typeNames, type CredentialsType } from '../config/credentials-types.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
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
  const keys = [...new Set(typeNames.flatMap(keysOf))];
  const given = new Map<string, string>();
  const command = new Command('init')
    .option('--config.file <path>', 'the file to write; never overwritten', 'config.yaml')
    .option('--account <name>', 'the name of the account in metrics; default: production')
    .addOption(
      new Option('--credentials <type>', 'where the credentials come from').choices(typeNames),
    );
  for (const key of keys) {
    const value = key.endsWith('file') ? 'path' : 'value';
    command.option(`${flagOf(key)} <${value}>`, `the key ${key} of the credentials`, (text) => {
      given.set(key, text);
    });
  }
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
    .action((flags: InitFlags) => init(flags, given).then(exitWith));
}

/** The keys of a type, without the type itself. */
function keysOf(type: CredentialsType): string[] {
  return Object.keys(fieldsOf(type)).filter((key) => key !== 'type');
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
    config: parseConfig(configText(answers), 'init', collectors),
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

/** The answers, with all templates of each region. */
async function answersOf(flags: InitFlags, keys: Keys): Promise<Answers> {
  const region = flags.region?.join();
  const given = {
    ...defaults,
    ...(flags.account !== undefined && { account: flags.account }),
    endpoint: flags.endpoint ?? null,
    regions: regionsOf(region ?? 'all'),
  };
  refuseInvalid(given);
  if (!isAtTerminal()) refuseMissing(flags, keys);
  const judgeAccount = (account: string) => problemOf({ account }, '--account');
  const account =
    flags.account ?? (await ask('Name of the account in metrics', judgeAccount, given.account));
  const credentials = await chooseCredentials(flags, keys);
  refuseInvalid({ ...given, credentials });
  const judgeRegions = (text: string) => problemOf({ regions: regionsOf(text) }, '--region');
  const question = 'Watch all regions with their launch templates, or names with commas';
  const regions = regionsOf(region ?? (await ask(question, judgeRegions, 'all')));
  return { ...given, account, credentials, regions };
}

/** @throws UsageError which names the flags that are needed without a terminal */
function refuseMissing({ credentials, region }: InitFlags, keys: Keys): void {
  const missing =
    credentials === undefined ? ['--credentials'] : missingKeys(credentials, keys).map(flagOf);
  if (region === undefined) missing.push('--region');
  if (missing.length === 0) return;
  throw new UsageError(`without a terminal, init cannot ask for ${missing.join(', ')}`);
}

/** The keys that credentials of a type need, and that are not given. */
function missingKeys(type: CredentialsType, given: Keys): string[] {
  return keysOf(type).filter(
    (key) => !given.has(key) && problemOf({ credentials: { type } }, flagOf(key)) !== null,
  );
}

/** The regions of a text: `all`, or names with commas. */
function regionsOf(text: string): Answers['regions'] {
  return text === 'all' ? null : new Map(namesOf(text).map((name) => [name, 'all']));
}

/** Each name once. */
function namesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

async function chooseCredentials(flags: InitFlags, keys: Keys): Promise<Answers['credentials']> {
  const type = flags.credentials ?? (await askType());
  const { source, ...others } = Object.fromEntries(keys);
  const chosen = { type, ...others, ...(source !== undefined && { source: { type: source } }) };
  const asked: Record<string, string> = {};
  for (const key of missingKeys(type, keys)) {
    const judge = (value: string) =>
      problemOf({ credentials: { ...chosen, [key]: value } }, flagOf(key));
    asked[key] = await ask(key, judge);
  }
  return { ...chosen, ...asked };
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

/** Valid answers. Those that are given or asked for replace them. */
const defaults: Answers = {
  account: 'production',
  credentials: { type: 'none' },
  endpoint: null,
  regions: null,
};

/** What is wrong with answers: the flag of each mistake, and a message without the value. */
function problemsOf(answers: Answers): { readonly flag: string; readonly message: string }[] {
  try {
    parseConfig(configText(answers), 'init', collectors);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    return error.problems.map(({ message, path }) => ({ flag: flagOfPath(path), message }));
  }
}

/** The flag of a place in the configuration. */
function flagOfPath(path: string): string {
  const [, key] = /^accounts\[0\]\.credentials\.(\w+)/.exec(path) ?? [];
  if (key !== undefined) return flagOf(key);
  if (path.startsWith('accounts[0].regions')) return '--region';
  return path === 'accounts[0].name' ? '--account' : `--${path.replace('api.', '')}`;
}

/** What is wrong with what a flag gives, or `null`. */
function problemOf(part: Partial<Answers>, flag: string): string | null {
  const problem = problemsOf({ ...defaults, ...part }).find((each) => each.flag === flag);
  return problem?.message ?? null;
}

/** @throws UsageError which names each flag that is wrong */
function refuseInvalid(answers: Answers): void {
  const lines = problemsOf(answers).map(({ flag, message }) => `${flag}: ${message}`);
  if (lines.length > 0) throw new UsageError([...new Set(lines)].join('\nerror: '));
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

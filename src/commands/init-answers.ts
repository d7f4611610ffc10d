/** The answers of `init`: from flags and, at a terminal, from questions; and the text of the configuration that they make. */
import { createInterface } from 'node:readline/promises';
import { stringify } from 'yaml';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { fieldsOf, typeNames, type CredentialsType } from '../credentials/types.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { calledAs, interruptedBy, note, UsageError } from './command.ts';
import type { ConfigFlags } from './options.ts';

export interface InitFlags extends ConfigFlags {
  readonly account?: string;
  readonly credentials?: CredentialsType;
  /** The keys of the credentials, in camelCase as Commander names them, such as `credentials.secretIdEnv`. */
  readonly [key: `credentials.${string}`]: string | undefined;
  readonly region?: readonly string[];
  readonly launchTemplate?: readonly string[];
  readonly endpoint?: string;
}

export interface Answers {
  readonly account: string;
  /** The value of `credentials` in the configuration: the type and its other keys. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** The base URL of the service. `null` for the default. */
  readonly endpoint: string | null;
  /** By region, `all` or the IDs of the launch templates that are watched; none if empty. `null`: every region and template. */
  readonly regions: ReadonlyMap<string, 'all' | readonly string[]> | null;
}

/** Answers without a mistake. If an answer replaces one of them, every mistake is one of this answer. */
const validDefaults: Answers = {
  account: 'production',
  credentials: { type: 'none' },
  endpoint: null,
  regions: null,
};

/**
 * The answers of the flags. At a terminal, it asks for the account, the type of credentials with its required keys, and
 * the regions, where no flag gives them. Every region has all its templates: `init` narrows them to `--launch-template`.
 *
 * @throws UsageError when an answer of a flag is wrong, or, without a terminal, when credentials or regions are missing. A
 *   missing account is then `production`
 * @throws CommanderError after Ctrl-C or Ctrl-D
 */
export async function answersOf(flags: InitFlags): Promise<Answers> {
  const { account = validDefaults.account, endpoint = null, region = ['all'] } = flags;
  const fromFlags = { ...validDefaults, account, endpoint, regions: regionsOf(region) };
  // Before the first question: a wrong flag ends the command.
  refuseInvalid(fromFlags);
  const question = 'What is the account called in metrics?';
  const toAccount = (text: string) => ({ account: text });
  const mayAsk = flags.account === undefined && isAtTerminal();
  const name = mayAsk ? await promptUntilValid('--account', question, toAccount, account) : account;
  const answers = { ...fromFlags, account: name, credentials: await credentialsOf(flags) };
  refuseInvalid(answers);
  if (flags.region !== undefined) return answers;
  const regionsQuestion = 'Which regions are watched? all, or their names, separated by commas';
  const toRegions = (text: string) => ({ regions: regionsOf([text]) });
  const names = await promptUntilValid('--region', regionsQuestion, toRegions, 'all');
  return { ...answers, ...toRegions(names) };
}

/** The regions of texts with `all`, or with names and commas. Every template of a region is watched. */
function regionsOf(texts: readonly string[]): Answers['regions'] {
  const names = splitNames(texts);
  return names.join() === 'all' ? null : new Map(names.map((name) => [name, 'all']));
}

/** The names in texts such as `a, b`, without duplicates. */
export function splitNames(texts: readonly string[]): string[] {
  return [...new Set(texts.join().split(/[\s,]+/))].filter((name) => name !== '');
}

/** The keys of all types of credentials, without the type. */
export const credentialKeys = [...new Set(typeNames.flatMap(credentialKeysOf))];

function credentialKeysOf(type: string): string[] {
  return Object.keys(fieldsOf(type)).filter((key) => key !== 'type');
}

/** The flag of a key, such as `--credentials.secret-id-env` of `secret_id_env`. */
export function credentialFlag(key: string): `--credentials.${string}` {
  return `--credentials.${key.replaceAll('_', '-')}`;
}

/** The type and the keys that flags give. Asks for the type, and for keys without which the type is not valid. */
async function credentialsOf(flags: InitFlags): Promise<Answers['credentials']> {
  const type = flags.credentials ?? (await promptForType());
  const credentials: Record<string, unknown> = { type };
  for (const key of credentialKeys) {
    const camel = key.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
    const value = flags[`credentials.${camel}`];
    if (value !== undefined) credentials[key] = key === 'source' ? { type: value } : value;
  }
  for (const key of credentialKeysOf(type)) {
    const flag = credentialFlag(key);
    if (key in credentials || flagProblem({ credentials }, flag) === null) continue;
    const toAnswers = (text: string) => ({ credentials: { ...credentials, [key]: text } });
    const what = fieldsOf(type)[key]?.description?.replace(/^The /, 'the ').replace(/\.$/, '');
    credentials[key] = await promptUntilValid(flag, `What is ${what ?? key}? (${key})`, toAnswers);
  }
  return credentials;
}

function promptForType(): Promise<string> {
  const lines = typeNames.map(
    (name) => `\n  ${name.padEnd(12)} ${fieldsOf(name)['type']?.description ?? ''}`,
  );
  const question = `${lines.join('')}\nWhere do the credentials come from?`;
  const toAnswers = (type: string) => ({ credentials: { type } });
  return promptUntilValid('--credentials', question, toAnswers, 'default');
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks until the answer is valid, on standard error: standard output is for the result.
 *
 * @param flag the flag that could have given the answer
 * @param toAnswers makes the part of the answers that has this one, which is validated
 * @param fallback taken for an empty line
 * @throws UsageError without a terminal
 */
async function promptUntilValid(
  flag: string,
  question: string,
  toAnswers: (text: string) => Partial<Answers>,
  fallback = '',
): Promise<string> {
  if (!isAtTerminal()) throw new UsageError(`without a terminal, init cannot ask for ${flag}`);
  for (;;) {
    const line = await prompt(`${question}${fallback && ` [${fallback}]`} `);
    const text = line.trim() || fallback;
    const problem = flagProblem(toAnswers(text), flag);
    if (problem === null) return text;
    note(`  ${problem}`);
  }
}

/** @throws CommanderError after Ctrl-C or Ctrl-D */
async function prompt(question: string): Promise<string> {
  // Open only during a question, so that Ctrl-C ends the process while it waits for the service.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } catch {
    throw interruptedBy('SIGINT');
  } finally {
    terminal.close();
  }
}

/** The mistakes in answers, each with the flag that gives the wrong value, and a message without the value. */
function problemsOf(answers: Answers) {
  try {
    parseConfig(configText(answers), 'init', collectors);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    return error.problems.map(({ message, path }) => ({ flag: flagAtPath(path), message }));
  }
}

/** The flag that gives the value at a path of the configuration, such as `--account` of `accounts[0].name`. */
function flagAtPath(path: string): string {
  const [, key] = /^accounts\[0\]\.credentials\.(\w+)/.exec(path) ?? [];
  if (key !== undefined) return key === 'type' ? '--credentials' : credentialFlag(key);
  if (path.startsWith('accounts[0].regions')) return '--region';
  return path === 'accounts[0].name' ? '--account' : `--${path.replace('api.', '')}`;
}

/** The first mistake in the answer of a flag, `null` for none. Mistakes of other answers in `part` do not count. */
function flagProblem(part: Partial<Answers>, flag: string): string | null {
  const problems = problemsOf({ ...validDefaults, ...part });
  return problems.find((problem) => problem.flag === flag)?.message ?? null;
}

/** @throws UsageError which names every flag with a mistake */
function refuseInvalid(answers: Answers): void {
  const lines = problemsOf(answers).map(({ flag, message }) => `${flag}: ${message}`);
  if (lines.length > 0) throw new UsageError([...new Set(lines)].join('\nerror: '));
}

/** The configuration of the answers, as YAML with comments. It says where secrets are, and contains none. */
export function configText({ account, credentials, endpoint, regions }: Answers): string {
  // A region without templates has the short form: its name. `templates` can also be the text `all`.
  const listed = [...(regions ?? [])].map(([name, templates]) =>
    templates.length > 0 ? { name, launch_templates: templates } : name,
  );
  return `# The configuration of cvm-quota-monitor. docs/configuration.md explains every key.
# After an edit, check it with: ${calledAs(process)} check-config FILE

poll:
  # A cron expression: every five minutes.
  schedule: '*/5 * * * *'
${endpoint === null ? '' : stringify({ api: { endpoint } })}accounts:
  # The label \`account\` of all metrics.
  - ${accountYaml({ name: account })}
    # Where the credentials come from. They never stand in this file.
    ${accountYaml({ credentials })}
    # Also stock and subnets of what the launch templates would start.
    launches: true
    # ${regions === null ? 'A map without names watches every region of the account; its keys hold for all of them.' : 'The regions whose quotas are watched, and the launch templates of each.'}
    ${accountYaml({ regions: regions === null ? { launch_templates: 'all' } : listed })}
`;
}

/** A map as YAML, whose further lines have the indentation of the keys of an account. */
function accountYaml(value: object): string {
  return stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('\n', '\n    ');
}

/** What `init` is to write: the answers of flags and, at a terminal, of questions, and their configuration. */
import { createInterface } from 'node:readline/promises';
import { stringify } from 'yaml';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { fieldsOf, typeNames, type CredentialsType } from '../credentials/types.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { interruptedBy, note, UsageError } from './command.ts';
import type { ConfigFlags } from './options.ts';

export interface InitFlags extends ConfigFlags {
  readonly account?: string;
  readonly credentials?: CredentialsType;
  /** The keys of the credentials. */
  readonly [key: `credentials.${string}`]: string | undefined;
  readonly region?: readonly string[];
  readonly launchTemplate?: readonly string[];
  readonly endpoint?: string;
}

export interface Answers {
  readonly account: string;
  /** The type and the other keys. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** `null` for the default. */
  readonly endpoint: string | null;
  /** By region, `all` or the IDs of the launch templates that are watched. `null` for every region and every template. */
  readonly regions: ReadonlyMap<string, 'all' | readonly string[]> | null;
}

/** Valid answers. Those that are given or asked for replace them. */
const validDefaults: Answers = {
  account: 'production',
  credentials: { type: 'none' },
  endpoint: null,
  regions: null,
};

/**
 * The answers, with all templates of each region.
 *
 * @throws UsageError when an answer of a flag is wrong, or one is missing without a terminal
 * @throws CommanderError after Ctrl-C or Ctrl-D
 */
export async function answersOf(flags: InitFlags): Promise<Answers> {
  const { account = validDefaults.account, endpoint = null, region = ['all'] } = flags;
  const given = { ...validDefaults, account, endpoint, regions: regionsOf(region) };
  refuseInvalid(given);
  const isAsked = flags.account === undefined && isAtTerminal();
  const question = 'Name of the account in metrics';
  const chosen = {
    ...given,
    ...(isAsked &&
      (await promptUntilValid('--account', question, (name) => ({ account: name }), account))),
    credentials: await credentialsOf(flags),
  };
  refuseInvalid(chosen);
  if (flags.region !== undefined) return chosen;
  const all = 'Watch all regions with their launch templates, or names with commas';
  return {
    ...chosen,
    ...(await promptUntilValid('--region', all, (text) => ({ regions: regionsOf([text]) }), 'all')),
  };
}

/** The regions of texts: `all`, or names with commas. */
function regionsOf(texts: readonly string[]): Answers['regions'] {
  const names = splitNames(texts);
  return names.join() === 'all' ? null : new Map(names.map((name) => [name, 'all']));
}

/** The names of texts with commas, each once. */
export function splitNames(texts: readonly string[]): string[] {
  return [...new Set(texts.join().split(/[\s,]+/))].filter((name) => name !== '');
}

/** The keys of all types of credentials, without the type. */
export const credentialKeys = [...new Set(typeNames.flatMap(credentialKeysOf))];

function credentialKeysOf(type: string): string[] {
  return Object.keys(fieldsOf(type)).filter((key) => key !== 'type');
}

/** The flag of a key. */
export function credentialFlag(key: string): `--credentials.${string}` {
  return `--credentials.${key.replaceAll('_', '-')}`;
}

/** The type and the keys that flags give, and those that the type needs besides. */
async function credentialsOf(flags: InitFlags): Promise<Answers['credentials']> {
  let credentials: Answers['credentials'] =
    flags.credentials === undefined ? await promptForType() : { type: flags.credentials };
  for (const key of credentialKeys) {
    const camel = key.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
    const value = flags[`credentials.${camel}`];
    const entry = key === 'source' ? { type: value } : value;
    if (value !== undefined) credentials = { ...credentials, [key]: entry };
  }
  for (const key of credentialKeysOf(String(credentials['type']))) {
    if (key in credentials || flagProblem({ credentials }, credentialFlag(key)) === null) continue;
    const known = credentials;
    const part = (value: string) => ({ credentials: { ...known, [key]: value } });
    ({ credentials } = await promptUntilValid(credentialFlag(key), key, part));
  }
  return credentials;
}

async function promptForType(): Promise<Answers['credentials']> {
  const lines = typeNames.map((name) => {
    const { description = '' } = fieldsOf(name)['type'] ?? {};
    return `\n  ${name.padEnd(12)} ${description}`;
  });
  const question = `Where do the credentials come from?${lines.join('')}\nCredentials`;
  const part = (type: string) => ({ credentials: { type } });
  return (await promptUntilValid('--credentials', question, part, 'default')).credentials;
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks until the answer is right. Standard output is for the result, so it asks on standard error.
 *
 * @param flag the one that gives the answer, too
 * @param part of the answers, with this one
 * @param fallback means an empty answer
 */
async function promptUntilValid<Part extends Partial<Answers>>(
  flag: string,
  question: string,
  part: (answer: string) => Part,
  fallback = '',
): Promise<Part> {
  if (!isAtTerminal()) {
    throw new UsageError(`without a terminal, init cannot ask for ${flag}`);
  }
  for (;;) {
    const answer = await prompt(`${question}${fallback && ` [${fallback}]`}: `);
    const answered = part(answer.trim() || fallback);
    const problem = flagProblem(answered, flag);
    if (problem === null) return answered;
    note(`  ${problem}`);
  }
}

async function prompt(prompt: string): Promise<string> {
  // Open only during a question, so that Ctrl-C ends the process while it waits for the service.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(prompt);
  } catch {
    throw interruptedBy('SIGINT');
  } finally {
    terminal.close();
  }
}

/** What is wrong with answers: the flag of each mistake, and a message without the value. */
function problemsByFlag(answers: Answers): { readonly flag: string; readonly message: string }[] {
  try {
    parseConfig(configText(answers), 'init', collectors);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    return error.problems.map(({ message, path }) => ({ flag: flagAtPath(path), message }));
  }
}

/** The flag of a place in the configuration. */
function flagAtPath(path: string): string {
  const [, key] = /^accounts\[0\]\.credentials\.(\w+)/.exec(path) ?? [];
  if (key !== undefined) return key === 'type' ? '--credentials' : credentialFlag(key);
  if (path.startsWith('accounts[0].regions')) return '--region';
  return path === 'accounts[0].name' ? '--account' : `--${path.replace('api.', '')}`;
}

/** What is wrong with what a flag gives, or `null`. */
function flagProblem(part: Partial<Answers>, flag: string): string | null {
  const problem = problemsByFlag({ ...validDefaults, ...part }).find((each) => each.flag === flag);
  return problem?.message ?? null;
}

/** @throws UsageError which names each flag that is wrong */
function refuseInvalid(answers: Answers): void {
  const lines = problemsByFlag(answers).map(({ flag, message }) => `${flag}: ${message}`);
  if (lines.length > 0) throw new UsageError([...new Set(lines)].join('\nerror: '));
}

/** The configuration as YAML with comments. It names where secrets are, and holds none. */
export function configText({ account, credentials, endpoint, regions }: Answers): string {
  return `# The configuration of cvm-quota-monitor. docs/configuration.md explains every key.
# After an edit, check it with: cvm-quota-monitor check-config --config.file=FILE

poll:
  # A cron expression: every five minutes.
  schedule: '*/5 * * * *'
${endpoint === null ? '' : stringify({ api: { endpoint } })}accounts:
  # The label \`account\` of all metrics.
  - ${keyOfAccount({ name: account })}
    # Where the credentials come from. They never stand in this file.
    ${keyOfAccount({ credentials })}
    # Also stock and subnets of what the launch templates would start.
    launches: true
    # The regions whose quotas are watched, and the launch templates of each.
    ${keyOfAccount({ regions: regionsValue(regions) })}
`;
}

/** YAML with the indentation of an account. */
function keyOfAccount(value: object): string {
  return stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('\n', '\n    ');
}

function regionsValue(regions: Answers['regions']): unknown {
  if (regions === null) return { launch_templates: 'all' };
  return [...regions].map(([name, templates]) =>
    templates.length === 0 ? name : { name, launch_templates: templates },
  );
}

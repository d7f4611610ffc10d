/** Writes a configuration for what credentials find, and checks it. */
import { collectors } from '../../../collectors/collectors.ts';
import { parseConfig } from '../../../config/config.ts';
import type { Surroundings } from '../../../daemon/surroundings.ts';
import { InvalidFileError } from '../../../validation/problem.ts';
import { checkThenEnd } from '../check.ts';
import { exitCodeOf } from '../signals.ts';
import { processSurroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import { configText, type Answers } from './config-text.ts';
import { chooseCredentials, missingCredentialsFlags } from './credentials.ts';
import type { InitFlags } from './flags.ts';
import { refuseExisting, writeNewFile } from './new-file.ts';
import { InterruptedError, questionsAtTerminal, type Questions } from './questions.ts';
import { serviceOf } from './service.ts';
import { chooseWatched } from './watched.ts';

const defaultAccount = 'production';

/**
 * Writes the file only when every answer is known and valid.
 *
 * @param keys the keys of the credentials that are given by flags
 * @returns the exit code of the check; that of a shell for SIGINT when the user ends the questions
 * @throws UsageError when a flag is missing or wrong, the service refuses, or the file cannot be written
 */
export async function init(flags: InitFlags, keys: ReadonlyMap<string, string>): Promise<number> {
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
  return checkThenEnd(
    {
      'config.file': file,
      output: 'table',
      all: false,
      'log.level': 'warn',
      'log.format': 'logfmt',
    },
    surroundings,
  );
}

function refuseMissing(flags: InitFlags, keys: ReadonlyMap<string, string>): void {
  const missing = [
    ...missingCredentialsFlags(flags, keys),
    ...(flags.region === undefined ? ['--region'] : []),
  ];
  if (missing.length > 0) {
    throw new UsageError(`without a terminal, init cannot ask for ${missing.join(', ')}`);
  }
}

interface AnswerSources {
  readonly questions: Questions | null;
  readonly surroundings: Surroundings;
}

async function answersOf(
  flags: InitFlags,
  keys: ReadonlyMap<string, string>,
  { questions, surroundings }: AnswerSources,
): Promise<Answers> {
  const draft = {
    account: defaultAccount,
    credentials: { type: 'none' },
    endpoint: flags.endpoint ?? null,
    regions: null,
    everyTemplate: false,
  };
  const judge = (account: string) => problemOfDraft({ ...draft, account });
  const account =
    flags.account ??
    (await questions?.ask('Name of the account in metrics', judge, defaultAccount));
  const named = { ...draft, account: account ?? defaultAccount };
  refuseInvalid(named);
  const credentials = await chooseCredentials(flags, keys, questions);
  const start = { ...named, credentials };
  const service = serviceOf(parseConfig(configText(start), 'init', collectors), surroundings);
  try {
    const answers = { ...start, ...(await chooseWatched(flags, service, questions, note)) };
    refuseInvalid(answers);
    return answers;
  } finally {
    service.close();
  }
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

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

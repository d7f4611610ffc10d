import { unlink, writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { isTemplateList } from '../collectors/launch-template-list/launch-template-list.ts';
import { isQuotas } from '../collectors/quota/quota.ts';
import { parseConfig } from '../config/config.ts';
import { typeNames } from '../credentials/types.ts';
import { credentialsAdvice } from '../credentials/advice.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { Freshness, TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { knownRegions } from './check-config.ts';
import { firstOf, outputs, printReport, refuseUnknown } from './check.ts';
import { note, print, UsageError, type CommandFile } from './command.ts';
import {
  answersOf,
  configText,
  credentialKeys,
  flagOf,
  namesOf,
  type Answers,
  type InitFlags,
} from './init-answers.ts';
import { repeated } from './options.ts';
import { findsRegions, pollAll } from './poll-all.ts';
import { jsonText, neededPolicy } from './print-policy.ts';

export const examples: CommandFile['examples'] = [
  ['init', 'asks questions'],
  ['init --credentials=environment --region=ap-guangzhou', 'asks only for the account'],
  ['init --credentials=none --region=all --endpoint=http://127.0.0.1:10043', 'for an emulator'],
];

export function define(command: Command): void {
  command
    .option('--config.file <path>', 'the file to write; never overwritten', 'config.yaml')
    .option('--account <name>', 'the name of the account in metrics; default: production')
    .addOption(
      new Option('--credentials <type>', 'where the credentials come from').choices(typeNames),
    );
  for (const key of credentialKeys) {
    const value = key.endsWith('file') ? 'path' : 'value';
    command.option(`${flagOf(key)} <${value}>`, `the key ${key} of the credentials`);
  }
  command
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
It exits with the code of the check: 0, 1, 2 or 3. 3 also means that nothing was written. 130 when interrupted.`,
    );
}

/**
 * Polls what may be watched. Writes the file only when every answer is valid, and the service has listed what is
 * watched.
 *
 * @returns the exit code of the check
 * @throws UsageError when a flag is missing or wrong, the service refuses, or the file cannot be written
 * @throws CommanderError when the user ends the questions
 */
export async function run(flags: InitFlags): Promise<number> {
  const file = flags['config.file'];
  if (file === '-') throw new UsageError('init writes a file: --config.file needs its name');
  // Before the first question: whether it can be written at all.
  await writeNewFile(file, '');
  await unlink(file);
  const answers = await answersOf(flags);
  const templates = templatesOf(flags);
  if (answers.regions === null && templates !== null) {
    throw new UsageError('--launch-template: an ID is of one region, which --region must name');
  }
  const config = parseConfig(configText(answers), 'init', collectors);
  const isWanted = ({ resource }: Target) => {
    const id = resource?.['template_id'];
    return id === undefined || templates === null || templates.includes(id);
  };
  const timeLimit = new AbortController().signal;
  const log = { level: 'error', format: 'logfmt' } as const;
  const { records } = await pollAll({ config, isWanted, timeLimit, log });
  const regions = watchedRegions(answers, records, templates);
  await writeNewFile(file, configText({ ...answers, regions }));
  note(`${file} is written; this is what check says about it`);
  const code = await printReport(records, outputs.table, { config, isWanted, all: false });
  print(`\nNext: cvm-quota-monitor serve --config.file=${file}\n`);
  return code;
}

/** The IDs that the flags name. `null` for all. */
function templatesOf({ launchTemplate = ['all'] }: InitFlags): readonly string[] | null {
  const names = namesOf(launchTemplate);
  return names.includes('all') ? null : names;
}

/**
 * Says what was found, and narrows the regions of the answers to the templates that are wanted.
 *
 * @param records of a poll of everything that the answers name
 * @param templates IDs, or `null` for all
 * @throws UsageError when a name is none that exists, or the service refuses to list what is needed. If the policy of
 *   the key does not allow it, the policy that it needs is printed before
 */
function watchedRegions(
  { regions }: Answers,
  records: readonly TargetRecord[],
  templates: readonly string[] | null,
): Answers['regions'] {
  const found = new Map<string, readonly string[]>();
  for (const record of records) {
    const { failure } = record.observed.freshness;
    const { region } = record.target;
    if (findsRegions(record.target)) {
      refuseFailure('the regions', failure, true);
    } else if (isTemplateList(record)) {
      refuseFailure(`the launch templates of ${region}`, failure, regions === null);
      found.set(region, record.observed.snapshot?.templates.map(({ id }) => id) ?? []);
    }
  }
  const ids = [...found.values()].flat();
  // Targets of launches answer without a request while no launch is known, so they say nothing of a region.
  const asked = records.filter((each) => isQuotas(each) || isTemplateList(each));
  const known = asked.filter(
    ({ observed }) => observed.freshness.failure?.code !== unsupportedRegion,
  );
  const names = [...new Set(known.map(({ target }) => target.region))];
  refuseUnknown('--region', [...(regions?.keys() ?? [])], names, knownRegions);
  refuseUnknown('--launch-template', templates ?? [], ids);
  note(foundText('region', names));
  note(foundText('launch template', ids));
  if (regions === null || templates === null) return regions;
  const wanted = (region: string) => found.get(region)?.filter((id) => templates.includes(id));
  return new Map([...regions.keys()].map((region) => [region, wanted(region) ?? []]));
}

/** The code of a region that does not exist, and of one that lacks the operation. */
const unsupportedRegion = 'UnsupportedRegion';

/** @throws UsageError which says what to do. A region that lacks an operation has no templates */
function refuseFailure(what: string, failure: Freshness['failure'], allRegions: boolean): void {
  if (failure === null || failure.code === unsupportedRegion) return;
  const { code, message } = failure;
  const reason = `${what} cannot be listed: ${code}: ${message.replace(/\.$/, '')}`;
  if (code.startsWith('UnauthorizedOperation')) {
    print(jsonText(neededPolicy({ allRegions, allTemplates: true, launches: true })));
    throw new UsageError(`${reason}; attach the policy above to the key or role, and try again`);
  }
  const advice = credentialsAdvice(failure);
  throw new UsageError(advice === null || advice === message ? reason : `${reason}; ${advice}`);
}

function foundText(noun: string, names: readonly string[]): string {
  const list = names.length === 0 ? '' : `: ${firstOf(names)}`;
  return `found ${names.length} ${noun}${names.length === 1 ? '' : 's'}${list}`;
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
    if (codeOf(error) !== 'EEXIST') await unlink(file).catch(() => undefined);
    throw new UsageError(
      `${file} cannot be written: ${messageOf(error)}. init never overwrites a file: --config.file names another`,
    );
  }
}

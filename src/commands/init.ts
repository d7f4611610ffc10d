/**
 * The command `init`: writes a configuration from flags and questions.
 *
 * 1. Refuse a file that cannot be written. Get the answers (`init-answers.ts`).
 * 2. Poll what the answers would watch. End if the service cannot list regions or templates, or does not know a name.
 * 3. Write the file, with only the templates of `--launch-template`. Print the table of `check`.
 */
import { open, unlink } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import {
  isTemplateListRecord,
  type LaunchTemplateListRecord,
} from '../collectors/launch-template-list.ts';
import { planTargets } from '../collectors/plan.ts';
import { isQuotaRecord } from '../collectors/quota/quota.ts';
import { parseConfig, type Config } from '../config/config.ts';
import { typeNames } from '../credentials/types.ts';
import { credentialsAdvice } from '../credentials/advice.ts';
import { checkReport } from '../expose/check-report.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import {
  calledAs,
  checkExitCodes,
  note,
  printResult,
  UsageError,
  type CommandFile,
} from './command.ts';
import {
  answersOf,
  configText,
  credentialKeys,
  credentialFlag,
  splitNames,
  type InitFlags,
} from './init-answers.ts';
import { knownRegions } from './config-warnings.ts';
import { firstTen, refuseUnknownNames, repeatableText } from './options.ts';
import { findsRegions, pollAll } from './poll-all.ts';
import { jsonText, policyOf } from './print-policy.ts';
import { renderers } from './renderers.ts';

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
    command.option(`${credentialFlag(key)} <${value}>`, `the key ${key} of the credentials`);
  }
  command
    .option(
      '--region <name>',
      'a region to watch, or all for every region; may be repeated',
      repeatableText,
    )
    .option(
      '--launch-template <id>',
      'a launch template to watch, or all; may be repeated; default: all',
      repeatableText,
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
 * Polls what the answers select. Writes the file only when every answer is valid, and the service has listed what is
 * watched. Then prints what `check` says about the file, from the same poll.
 *
 * @returns the exit code of the check
 * @throws UsageError when a flag is missing or wrong, the service refuses, or the file cannot be written
 * @throws CommanderError when the user ends the questions
 */
export async function run(flags: InitFlags): Promise<number> {
  const file = flags['config.file'];
  if (file === '-') throw new UsageError('init writes a file: --config.file needs its name');
  // Before the first question: a file that cannot be written ends the command.
  await writeNewFile(file, '');
  await unlink(file);
  const answers = await answersOf(flags);
  const templateNames = splitNames(flags.launchTemplate ?? ['all']);
  // `null`: all.
  const templates = templateNames.includes('all') ? null : templateNames;
  if (answers.regions === null && templates !== null) {
    throw new UsageError('--launch-template: an ID is of one region, which --region must name');
  }
  const config = parseConfig(configText(answers), 'init', collectors);
  const isWanted = ({ resource }: Target) => {
    const id = resource?.['template_id'];
    return id === undefined || templates === null || templates.includes(id);
  };
  const log = { level: 'error', format: 'logfmt' } as const;
  const { records } = await pollAll({ config, isWanted, log });
  refuseFailedListings(records, config);
  const regionNames = availableRegions(records);
  const templateLists = records.filter(isTemplateListRecord);
  const listed = templateLists.flatMap(listedIds);
  refuseUnknownNames('--region', [...(answers.regions?.keys() ?? [])], regionNames, knownRegions);
  refuseUnknownNames('--launch-template', templates ?? [], listed);
  note(foundText('region', regionNames));
  note(foundText('launch template', listed));
  // The templates of each region that is named. Each of them has a list: the lines above have refused others.
  const wantedTemplates = templateLists.map((list) => {
    return [list.target.region, listedIds(list).filter((id) => templates?.includes(id))] as const;
  });
  const regions = templates === null ? answers.regions : new Map(wantedTemplates);
  await writeNewFile(file, configText({ ...answers, regions }));
  note(`${file} is written; this is what check says about it`);
  const { accounts, thresholds } = config;
  const planned = planTargets(config, collectors);
  const report = checkReport(records, { collectors, planned, thresholds });
  printResult(renderers.table(report, { accounts, all: false }));
  printResult(`\nNext: ${calledAs(process)} serve --config.file=${file}\n`);
  return checkExitCodes[report.verdict.severity];
}

/** The service answers with this code for a region that does not exist, and for one that lacks the operation. */
const unsupportedRegion = 'UnsupportedRegion';

/**
 * Refuses to go on without a list of regions or launch templates. UnsupportedRegion is no failure: the region then has
 * no launch templates. If the policy of the key does not allow the listing, this prints the policy that it needs.
 *
 * @throws UsageError which says what to do about the first failure
 */
function refuseFailedListings(records: readonly TargetRecord[], config: Config): void {
  for (const list of records) {
    const { target } = list;
    const { failure } = list.observed.freshness;
    if (!findsRegions(target) && !isTemplateListRecord(list)) continue;
    if (failure === null || failure.code === unsupportedRegion) continue;
    const what = findsRegions(target) ? 'the regions' : `the launch templates of ${target.region}`;
    const reason = `${what} cannot be listed: ${failure.code}: ${failure.message.replace(/\.$/, '')}`;
    if (failure.code.startsWith('UnauthorizedOperation')) {
      printResult(jsonText(policyOf(config)));
      throw new UsageError(`${reason}; attach the policy above to the key or role, and try again`);
    }
    const advice = credentialsAdvice(failure);
    const saysMore = advice !== null && advice !== failure.message;
    throw new UsageError(saysMore ? `${reason}; ${advice}` : reason);
  }
}

/** The regions that the service knows, by the answers about quotas and launch templates. */
function availableRegions(records: readonly TargetRecord[]): string[] {
  // Targets of launches answer without a request while no launch is known, so they say nothing of a region.
  const answered = records
    .filter((record) => isQuotaRecord(record) || isTemplateListRecord(record))
    .filter(({ observed }) => observed.freshness.failure?.code !== unsupportedRegion);
  return [...new Set(answered.map(({ target }) => target.region))];
}

/** The IDs in a list of templates. None if the region answered UnsupportedRegion. */
function listedIds({ observed }: LaunchTemplateListRecord): readonly string[] {
  return observed.snapshot?.templates.map(({ id }) => id) ?? [];
}

/** A note such as `found 2 regions: ap-guangzhou, ap-tokyo`. */
function foundText(noun: string, names: readonly string[]): string {
  const list = names.length === 0 ? '' : `: ${firstTen(names)}`;
  return `found ${names.length} ${noun}${names.length === 1 ? '' : 's'}${list}`;
}

/**
 * Creates a file with the whole text, or leaves nothing.
 *
 * @throws UsageError when something has the name, also a broken link, or the file cannot be written
 */
async function writeNewFile(file: string, text: string): Promise<void> {
  const refuse = (error: unknown): never => {
    throw new UsageError(
      `${file} cannot be written: ${messageOf(error)}. init never overwrites a file: --config.file names another`,
    );
  };
  const created = await open(file, 'wx').catch(refuse);
  try {
    await created.writeFile(text);
  } catch (error) {
    await unlink(file).catch(() => undefined);
    refuse(error);
  } finally {
    await created.close();
  }
}

/** The report of `check --launch` and `check --plan`: polls and judges what they ask about, and finds alternatives. */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { checkReport, launchesAsked } from '../expose/check-report.ts';
import { candidatesFor, isCertain, type AskedSource } from '../model/launches/asked.ts';
import type { EvaluatedLaunch } from '../model/launches/judge-region.ts';
import { configForSources, placeSources, type AskedFlags } from './asked-launches.ts';
import { sourcesOfPlan } from './plan-launches.ts';
import { pollAll, type PollAllOptions } from './poll-all.ts';
import { readPlan } from './terraform-plan.ts';

/** What `check` sets for every poll: its time limit, its log, and the language of its progress and report. */
export type HowToPoll = Required<Pick<PollAllOptions, 'timeLimit' | 'log' | 'texts'>>;

/**
 * Makes the report in up to three polls, each of what it judges and nothing else:
 *
 * 1. Poll what the sources of `--launch` and `--plan` need, and judge them together.
 * 2. If some are blocked: poll the types of like families, and choose candidates for the first {@link maxBlocked}.
 * 3. Poll what the candidates need, and judge them in place of the blocked launches, beside the other sources. Those that
 *    would certainly start are the alternatives of a blocked launch.
 *
 * @throws UsageError for a source of `--launch` that fits no account, and for any source that fits several
 * @throws InvalidFileError for a plan that cannot be judged
 */
export async function reportOfAsked(config: Config, flags: AskedFlags, how: HowToPoll) {
  const plan = flags.plan === undefined ? null : await readPlan(flags.plan);
  const ofPlan = plan === null ? [] : sourcesOfPlan(plan, config, flags);
  const asked = [...placeSources(config, flags), ...ofPlan];
  const judgement = { collectors, thresholds: config.thresholds };
  const poll = async (sources: readonly AskedSource[], families: readonly string[] = []) => {
    const needed = configForSources(config, sources, families);
    return (await pollAll({ ...how, config: needed, allPrices: true })).records;
  };

  const records = await poll(asked);
  const launches = launchesAsked(records, asked, judgement);
  const blocked = launches.filter(mayBeReplaced).slice(0, maxBlocked);

  const families = blocked.flatMap(({ instanceType }) => familiesLike(instanceType ?? ''));
  const withFamilies = blocked.length === 0 ? [] : await poll(asked, [...new Set(families)]);
  const candidatesOf = (launch: EvaluatedLaunch) => {
    const { account, region } = launch;
    const facts = withFamilies
      .filter(({ target }) => target.account === account && target.region === region)
      .map((record) => collectors.launchFacts(record, true));
    return candidatesFor(launch, facts);
  };
  const candidates = new Map(blocked.map((launch) => [launch, candidatesOf(launch)]));
  const tried = [...candidates.values()].flat();

  const notBlocked = asked.filter(({ name }) => !blocked.some(({ source }) => source === name));
  const judged =
    tried.length === 0
      ? []
      : launchesAsked(await poll([...asked, ...tried]), [...notBlocked, ...tried], judgement);
  const certain = new Map(judged.filter(isCertain).map((launch) => [launch.source, launch]));

  const withAlternatives = launches.map((launch) => {
    const sources = candidates.get(launch);
    if (sources === undefined) return launch;
    const alternatives = sources.flatMap(({ name }) => certain.get(name) ?? []);
    return { ...launch, alternatives: alternatives.slice(0, maxAlternatives) };
  });
  const { texts } = how;
  return checkReport(records, { ...judgement, texts, planned: [], asked: withAlternatives });
}

/** Whether a launch is blocked and names an instance type, which another one could replace. */
function mayBeReplaced({ group, instanceType, state }: EvaluatedLaunch): boolean {
  return state === 'critical' && group === null && instanceType !== null;
}

/** Kinds of instances: each lists the families whose types have like sizes and uses. */
const kindsOfFamilies = [
  'S1 S2 S2ne S3 S3ne S4 S5 S5se S6 S6t S7 S8 S9 SA1 SA2 SA3 SA4 SA5 SA9 SN2 SN3ne SR1 SW3a SW3ne',
  'M1 M2 M3 M4 M5 M6 M6ce M6p M8 M9 MA2 MA3 MA4 MA5 MA9 MR1',
  'C2 C3 C4 C5 C6 CN2 CN3',
  'I1 I2 I3 IT2 IT3 IT3a IT3b IT3c IT5 IT5c',
  'D1 D2 D3 BF1',
  'GN2 GN6 GN6S GN7 GN7vi GN8 GN10X GN10Xp GI1 GI3X GT4 PNV4 PNV5b',
].map((names) => names.split(' '));

/** The family of an instance type, then the other families of its kind. */
function familiesLike(instanceType: string): readonly string[] {
  const [family = ''] = instanceType.split('.');
  const kind = kindsOfFamilies.find((families) => families.includes(family)) ?? [];
  return [...new Set([family, ...kind])];
}

/** For how many blocked launches alternatives are sought. */
const maxBlocked = 5;
/** How many alternatives of each are named. */
const maxAlternatives = 3;

/**
 * What `check --launch` and `check --plan` ask about: polled, judged together, and with what could be started in place of
 * launches that are blocked.
 */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { checkReport, launchesAsked } from '../expose/check-report.ts';
import { candidatesFor, isCertain, type AskedSource } from '../model/launches/asked.ts';
import type { EvaluatedLaunch } from '../model/launches/judge-region.ts';
import { configForSources, placeSources, type AskedFlags } from './asked-launches.ts';
import { sourcesOfPlan } from './plan-launches.ts';
import { pollAll, type PollAllOptions } from './poll-all.ts';
import { readPlan } from './terraform-plan.ts';

/** How `check` polls, whatever it judges. */
export type HowToPoll = Required<Pick<PollAllOptions, 'timeLimit' | 'log' | 'texts'>>;

/**
 * Polls what `--launch` and `--plan` need, and judges nothing but them. Names what could be started in place of the first
 * launches that are blocked, beside those that are not: asks first for the types of like families, then for what the
 * candidates need.
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

  // All types of like families: those of the same size as a blocked one are candidates.
  const families = blocked.flatMap(({ instanceType }) => familiesLike(instanceType ?? ''));
  const withSizes = blocked.length === 0 ? [] : await poll(asked, [...new Set(families)]);
  const candidatesOf = (launch: EvaluatedLaunch) => {
    const { account, region } = launch;
    const near = withSizes.filter(({ target: t }) => t.account === account && t.region === region);
    const facts = near.map((record) => collectors.launchFacts(record, true));
    return candidatesFor(launch, facts);
  };
  const candidates = new Map(blocked.map((launch) => [launch, candidatesOf(launch)]));
  const all = [...candidates.values()].flat();

  // The candidates are judged in place of the blocked ones, beside the other launches.
  const others = asked.filter(({ name }) => !blocked.some(({ source }) => source === name));
  const judged =
    all.length === 0
      ? []
      : launchesAsked(await poll([...asked, ...all]), [...others, ...all], judgement);
  const certain = new Map(judged.filter(isCertain).map((launch) => [launch.source, launch]));

  const withAlternatives = launches.map((launch) => {
    const sources = candidates.get(launch);
    if (sources === undefined) return launch;
    const found = sources.flatMap(({ name }) => certain.get(name) ?? []);
    return { ...launch, alternatives: found.slice(0, maxAlternatives) };
  });
  const { texts } = how;
  return checkReport(records, { ...judgement, texts, planned: [], asked: withAlternatives });
}

/** Whether a launch is blocked and names an instance type, which another one could replace. */
function mayBeReplaced({ group, instanceType, state }: EvaluatedLaunch): boolean {
  return state === 'critical' && group === null && instanceType !== null;
}

/** The families whose types have like sizes and uses, by kind. */
const kindsOfFamilies = [
  'S1 S2 S2ne S3 S3ne S4 S5 S5se S6 S6t S7 S8 S9 SA1 SA2 SA3 SA4 SA5 SA9 SN2 SN3ne SR1 SW3a SW3ne',
  'M1 M2 M3 M4 M5 M6 M6ce M6p M8 M9 MA2 MA3 MA4 MA5 MA9 MR1',
  'C2 C3 C4 C5 C6 CN2 CN3',
  'I1 I2 I3 IT2 IT3 IT3a IT3b IT3c IT5 IT5c',
  'D1 D2 D3 BF1',
  'GN2 GN6 GN6S GN7 GN7vi GN8 GN10X GN10Xp GI1 GI3X GT4 PNV4 PNV5b',
].map((names) => names.split(' '));

/** The family of an instance type, then those of its kind. */
function familiesLike(instanceType: string): readonly string[] {
  const [own = ''] = instanceType.split('.');
  return [...new Set([own, ...(kindsOfFamilies.find((kind) => kind.includes(own)) ?? [])])];
}

/** For how many launches that are blocked alternatives are sought. */
const maxBlocked = 5;
/** How many alternatives of each are named. */
const maxAlternatives = 3;

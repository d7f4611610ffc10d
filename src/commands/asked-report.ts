/**
 * What `check --launch` and `check --plan` ask about: polled, judged together, and with what could be started in place of
 * launches that are blocked.
 */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { checkReport, launchesAsked } from '../expose/check-report.ts';
import { candidatesFor, changeText, isCertain, type AskedSource } from '../model/launches/asked.ts';
import type { Alternative, EvaluatedLaunch } from '../model/launches/judge-region.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Thresholds } from '../model/thresholds.ts';
import { configForSources, placeSources, type AskedFlags } from './asked-launches.ts';
import { sourcesOfPlan } from './plan-launches.ts';
import { pollAll, type PollAllOptions } from './poll-all.ts';
import { readPlan } from './terraform-plan.ts';

/** How `check` polls, whatever it judges. */
export type HowToPoll = Required<Pick<PollAllOptions, 'timeLimit' | 'log' | 'texts'>>;

/** Polls what `--launch` and `--plan` need, and judges nothing but them. */
export async function reportOfAsked(config: Config, flags: AskedFlags, how: HowToPoll) {
  const plan = flags.plan === undefined ? null : await readPlan(flags.plan);
  const ofPlan = plan === null ? [] : sourcesOfPlan(plan, config, flags);
  const asked = [...placeSources(config, flags), ...ofPlan];
  const poll = async (sources: readonly AskedSource[], families: readonly string[] = []) => {
    const needed = configForSources(config, sources, families);
    return (await pollAll({ ...how, config: needed, allPrices: true })).records;
  };
  const records = await poll(asked);
  const { texts } = how;
  const { thresholds } = config;
  const launches = await withAlternatives(asked, records, thresholds, poll);
  return checkReport(records, { collectors, texts, thresholds, planned: [], asked: launches });
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

/**
 * Judges what a check asks about, with what could be started in place of the first launches that are blocked, beside those that
 * are not. Asks first for the types of like families, then for what the candidates need.
 *
 * @param poll polls what sources need, and all types of the families
 */
async function withAlternatives(
  asked: readonly AskedSource[],
  records: readonly TargetRecord[],
  thresholds: Thresholds,
  poll: (
    sources: readonly AskedSource[],
    families?: readonly string[],
  ) => Promise<readonly TargetRecord[]>,
): Promise<readonly EvaluatedLaunch[]> {
  const judgement = { collectors, thresholds };
  const launches = launchesAsked(records, asked, judgement);
  const isBlocked = ({ group, instanceType, state }: EvaluatedLaunch) =>
    state === 'critical' && group === null && instanceType !== null;
  const blocked = launches.filter(isBlocked).slice(0, maxBlocked);
  if (blocked.length === 0) return launches;
  const families = blocked.flatMap(({ instanceType }) => familiesLike(instanceType ?? ''));
  const withSizes = await poll(asked, [...new Set(families)]);
  const candidates = blocked.map((launch) => {
    const { account, region } = launch;
    const near = withSizes.filter(({ target: t }) => t.account === account && t.region === region);
    const facts = near.map((record) => collectors.launchFacts(record, true));
    return { launch, sources: candidatesFor(launch, facts) };
  });
  const all = candidates.flatMap(({ sources }) => sources);
  const others = asked.filter(({ name }) => !blocked.some(({ source }) => source === name));
  const ofAll = all.length === 0 ? [] : await poll([...asked, ...all]);
  const judged = launchesAsked(ofAll, [...others, ...all], judgement);
  const certain = new Map(judged.filter(isCertain).map((launch) => [launch.source, launch]));
  return launches.map((launch) => {
    const { sources } = candidates.find((each) => each.launch === launch) ?? {};
    if (sources === undefined) return launch;
    const found = sources.flatMap(({ name }) => certain.get(name) ?? []);
    const alternatives = found.slice(0, maxAlternatives).map((other): Alternative => {
      return { launch: other, change: (texts) => changeText(launch, other, texts) };
    });
    return { ...launch, alternatives };
  });
}

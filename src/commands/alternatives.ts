/** What could be started in place of launches that `check --launch` and `check --plan` find blocked. */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { launchesAsked } from '../expose/check-report.ts';
import { candidatesFor, changeText, isCertain, type AskedSource } from '../model/launches/asked.ts';
import type { Alternative, EvaluatedLaunch } from '../model/launches/judge-region.ts';
import type { TargetRecord } from '../model/record.ts';

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
 * What could be started in place of the first sources that are blocked, beside those that are not. Asks first for the types of like
 * families, then for what the candidates need.
 *
 * @param poll polls what sources need, and all types of the families
 * @returns by the names of the sources
 */
export async function findAlternatives(
  asked: readonly AskedSource[],
  records: readonly TargetRecord[],
  { thresholds }: Pick<Config, 'thresholds'>,
  poll: (
    sources: readonly AskedSource[],
    families?: readonly string[],
  ) => Promise<readonly TargetRecord[]>,
): Promise<ReadonlyMap<string, readonly Alternative[]>> {
  const options = { collectors, thresholds };
  const isBlocked = ({ group, instanceType, state }: EvaluatedLaunch) =>
    state === 'critical' && group === null && instanceType !== null;
  const blocked = launchesAsked(records, options, asked).filter(isBlocked).slice(0, maxBlocked);
  if (blocked.length === 0) return new Map();
  const names = new Set(blocked.map(({ source }) => source));
  const others = asked.filter(({ name }) => !names.has(name));
  const families = blocked.flatMap(({ instanceType }) => familiesLike(instanceType ?? ''));
  const withSizes = await poll(asked, [...new Set(families)]);
  const candidates = blocked.map((launch) => {
    const { account, region } = launch;
    const near = withSizes.filter(({ target: t }) => t.account === account && t.region === region);
    const facts = near.map((record) => collectors.launchFacts(record, true));
    return { launch, sources: candidatesFor(launch, facts) };
  });
  const all = candidates.flatMap(({ sources }) => sources);
  const ofAll = all.length === 0 ? [] : await poll([...asked, ...all]);
  const found = new Map<string, readonly Alternative[]>();
  for (const { launch, sources } of candidates) {
    const alternatives: Alternative[] = [];
    for (const source of sources) {
      const launches = launchesAsked(ofAll, options, [...others, source]);
      const judged = launches.find((each) => each.source === source.name);
      if (judged === undefined || !isCertain(judged)) continue;
      alternatives.push({ launch: judged, change: changeText(launch, judged) });
      if (alternatives.length === maxAlternatives) break;
    }
    found.set(launch.source ?? '', alternatives);
  }
  return found;
}

/** The flags `--account` and `--region`: which targets of a configuration a command polls. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Config } from '../../config/config.ts';
import type { Target } from '../../model/target.ts';
import { nearest } from '../../validation/nearest.ts';
import { UsageError } from './usage-error.ts';

export interface TargetFilter {
  /** The names of accounts. Empty for every account. */
  readonly accounts: readonly string[];
  /** The names of regions. Empty for every region. */
  readonly regions: readonly string[];
}

/** Whether a target is polled. What finds the regions of an account is polled for any region. */
export function isSelected(
  target: Target,
  { accounts, regions }: TargetFilter,
  collectors: CollectorSet,
): boolean {
  const isWanted = (names: readonly string[], name: string) =>
    names.length === 0 || names.includes(name);
  return (
    isWanted(accounts, target.account) &&
    (isWanted(regions, target.region) || findsRegions(target, collectors))
  );
}

export function findsRegions(target: Target, collectors: CollectorSet): boolean {
  return collectors.of(target).regionDiscovery !== null;
}

interface Matching {
  readonly config: Pick<Config, 'accounts'>;
  readonly collectors: CollectorSet;
  /** Whether discovery has found all regions. Defaults to whether no target finds regions. */
  readonly areRegionsKnown?: boolean;
}

/**
 * Refuses a filter with a name that selects no target: otherwise a check of no quota would pass. While regions are
 * unknown, it does not judge their names.
 *
 * @param all the targets without the filter
 * @throws UsageError which names similar names
 */
export function refuseUnmatched(
  filter: TargetFilter,
  all: readonly Target[],
  { config, collectors, areRegionsKnown }: Matching,
): void {
  const ofAccounts = all.filter((each) => isSelected(each, { ...filter, regions: [] }, collectors));
  const inRegions = ofAccounts.filter((target) => !findsRegions(target, collectors));
  const isKnown = areRegionsKnown ?? inRegions.length === ofAccounts.length;
  const selected = (isKnown ? inRegions : ofAccounts).filter((target) =>
    isSelected(target, filter, collectors),
  );
  const accounts = new Set(selected.map((target) => target.account));
  const account = filter.accounts.find((name) => !accounts.has(name));
  if (account !== undefined) {
    throw unmatchedError(
      '--account',
      account,
      config.accounts.map(({ name }) => name),
    );
  }
  const regions = new Set(selected.map((target) => target.region));
  const region = filter.regions.find((name) => !regions.has(name));
  if (isKnown && region !== undefined) {
    throw unmatchedError('--region', region, [
      ...new Set(inRegions.map((target) => target.region)),
    ]);
  }
}

/** Maximum number of names in a message. */
const maxNames = 10;

function unmatchedError(flag: string, name: string, known: readonly string[]): UsageError {
  const others = known.filter((each) => each !== name);
  const similar = nearest(name, others);
  const names = others.slice(0, maxNames).join(', ') + (others.length > maxNames ? ', …' : '');
  const hint = similar === null ? `others are ${names}` : `did you mean ${similar}?`;
  return new UsageError(
    `${flag}=${name} selects no target${others.length === 0 ? '' : `; ${hint}`}`,
  );
}

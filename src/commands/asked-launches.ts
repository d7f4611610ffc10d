/**
 * Sources: what `check --launch` and `check --plan` ask about. Parses a text of `--launch` for check.ts; finds the account and
 * region of a source; and reduces the configuration to what sources need, for asked-report.ts.
 */
import { launchTemplateId, placedInstanceType, scalingGroupId } from '../collectors/keys.ts';
import { quotaAccountKeys } from '../collectors/quota/quota.ts';
import { uniqueBy } from '../collectors/rows.ts';
import type { Config } from '../config/config.ts';
import { chargeTypes, plainLaunch } from '../model/launches/launch.ts';
import { launchesOfGroup } from '../model/launches/options.ts';
import { versionsAsked, type AskedSource } from '../model/launches/asked.ts';
import { maxInstances } from '../model/launches/parts/version.ts';
import { memberOf } from '../validation/always.ts';
import { UsageError } from './command.ts';
import { firstTen, isSelected } from './options.ts';

/** A source whose account is not found yet. The region is empty if neither the source nor its plan names it. */
export type UnplacedSource = Omit<AskedSource, 'account'>;

/** The values of `--account` and `--region`. Without a flag, every account or region is selected. */
export interface Narrowing {
  readonly account?: readonly string[] | undefined;
  readonly region?: readonly string[] | undefined;
}

/** The flags of `check` that say what is asked about. Without `launch` and `plan`, `check` judges all that is watched. */
export interface AskedFlags extends Narrowing {
  readonly launch?: readonly UnplacedSource[];
  /** A file, or `-` for standard input: the plan whose resources are asked about. */
  readonly plan?: string;
}

/** The region of a zone. */
export function regionOfZone(zone: string): string {
  return zone.replace(/-\d+$/, '');
}

export const sourceForms =
  'a source and a number of instances from 1 to 500: lt-…:N, lt-…@VERSION:N, asg-…:N, or TYPE/ZONE[/CHARGE[/SUBNET]]:N such as S5.LARGE8/ap-guangzhou-3/spotpaid:40';

/**
 * Parses a text of `--launch`.
 *
 * @param name the text, which is also the name of the source
 * @returns `null` if it has none of {@link sourceForms}
 */
export function parseSource(name: string): UnplacedSource | null {
  const [, source = '', digits = ''] = /^(.+):(\d{1,3})$/.exec(name) ?? [];
  const count = Number(digits);
  if (count < 1 || count > maxInstances) return null;
  const [, template = '', version] = /^(lt-[^@]*)(?:@([1-9]\d{0,8}))?$/.exec(source) ?? [];
  if (launchTemplateId.safeParse(template).success) {
    const launch = { template, version: version === undefined ? null : Number(version) };
    return { name, region: '', launch, count };
  }
  if (scalingGroupId.safeParse(source).success) {
    return { name, region: '', launch: { scalingGroup: source }, count };
  }
  const [instanceType = '', zone = '', charge = 'postpaid', ...subnets] = source.split('/');
  const chargeType = chargeTypes.find((type) => type === charge);
  const keys = { type: instanceType, zones: [zone], subnets };
  const isPlaced = placedInstanceType.safeParse(keys).success && subnets.length <= 1;
  if (!isPlaced || chargeType === undefined) return null;
  const launch = { ...plainLaunch, instanceType, zone, chargeType, subnets };
  return { name, region: regionOfZone(zone), launch, count };
}

/**
 * The account and region of the configuration that a source fits. If it fits several, only those count whose region names
 * the template or scaling group.
 *
 * @returns the place, and in `isWatched` whether the daemon judges the source there, too; `undefined` if it fits nowhere
 * @throws UsageError which names the places if they are several
 */
export function placeOf(config: Config, narrowing: Narrowing, source: UnplacedSource) {
  const { launch, name, region: regionOfSource } = source;
  const isGroup = 'scalingGroup' in launch;
  // The daemon judges scaling groups and default versions, but no other version and no launch that is given in full.
  const mayBeWatched = isGroup || ('template' in launch && launch.version === null);
  // The ID of the source, the key of a region that may name it, and the value of the key by default.
  const [id, key, valueByDefault] =
    'template' in launch
      ? [launch.template, 'launch_templates', []]
      : [isGroup ? launch.scalingGroup : null, 'scaling_groups', 'all'];
  const wanted = regionOfSource === '' ? narrowing.region : [regionOfSource];
  const isWanted = (region: string) =>
    isSelected(wanted, region) && isSelected(narrowing.region, region);
  const places = config.accounts
    .filter((account) => isSelected(narrowing.account, account.name))
    .flatMap(({ discoveredRegions: discovery, name: account, regions, settings: ofAccount }) => {
      // What discovery will find is not known here. It may find each region that is named and not excepted.
      const found = wanted?.filter((name) => discovery?.except.includes(name) === false) ?? [];
      return [...regions, ...found.map((name) => ({ name, settings: discovery?.settings }))]
        .filter((region) => isWanted(region.name))
        .map(({ name: region, settings }) => {
          const names = memberOf(settings, key) ?? valueByDefault;
          const isNamed = Array.isArray(names) && names.includes(id);
          // `all`, or names and tags: it may be selected, and counts as watched.
          const maySelect = isNamed || !Array.isArray(names);
          const isWatched = mayBeWatched && maySelect && memberOf(ofAccount, 'launches') === true;
          return { account, region, isNamed, isWatched };
        });
    });
  const naming = places.filter(({ isNamed }) => isNamed);
  const fitting = naming.length > 0 ? naming : places;
  if (fitting.length > 1) {
    const names = firstTen(fitting.map(({ account, region }) => `${region} of ${account}`));
    throw new UsageError(`${name} may be in ${names}: name one with --account and --region`);
  }
  return fitting[0];
}

/**
 * The sources of `--launch` with their accounts and regions.
 *
 * @throws UsageError for a source that fits no account, or several
 */
export function placeSources(config: Config, flags: AskedFlags): readonly AskedSource[] {
  return (flags.launch ?? []).map((source) => {
    const place = placeOf(config, flags, source);
    if (place !== undefined) {
      const { account, region, isWatched } = place;
      return { ...source, account, region, isWatched };
    }
    const where = source.region === '' ? 'its region: name it with --region' : source.region;
    throw new UsageError(`${source.name}: no account of the configuration names ${where}`);
  });
}

/**
 * The configuration of a poll that reads only what the sources need, with the same credentials. An account without a source
 * is left out, and so is a region.
 *
 * @param families the families of instance types whose types are all read, for candidates. If there are any, the subnets
 *   that the regions name are read, too
 */
export function configForSources(
  config: Config,
  sources: readonly AskedSource[],
  families: readonly string[] = [],
): Config {
  const accounts = config.accounts.flatMap((account) => {
    const ofAccount = sources.filter((source) => source.account === account.name);
    const names = [...new Set(ofAccount.map(({ region }) => region))];
    const watchedTypes = quotaAccountKeys.parse(account.settings).quota_types;
    const quota_types = chargeTypes.filter((type) => watchedTypes.includes(type));
    const regions = names.map((name) => {
      const inFile = account.regions.find((region) => region.name === name)?.settings;
      const ofRegion = ofAccount.filter(({ region }) => region === name);
      const launches = ofRegion.flatMap(({ launch }) => {
        if ('group' in launch) return launchesOfGroup(launch.group, launch.configuration);
        // Only a launch that is given in full has this member. Templates and groups with an ID are read by their keys.
        return 'isZoneNamed' in launch ? launch : [];
      });
      const idsOf = (idOf: (launch: AskedSource['launch']) => string | readonly string[]) => [
        ...new Set(ofRegion.flatMap(({ launch }) => idOf(launch))),
      ];
      const launch_templates = idsOf((launch) => ('template' in launch ? launch.template : []));
      const scaling_groups = idsOf((launch) =>
        'scalingGroup' in launch ? launch.scalingGroup : [],
      );
      const versions = new Map(launch_templates.map((id) => [id, versionsAsked(ofRegion, id)]));
      const subnets = families.length === 0 ? [] : (memberOf(inFile, 'subnets') ?? []);
      const settings = { ...inFile, instance_types: [], subnets, launch_templates, scaling_groups };
      const asked = { launches: uniqueBy(launches, JSON.stringify), versions, families };
      return { name, settings, asked };
    });
    const settings = { ...account.settings, launches: true, quota_types };
    return names.length === 0 ? [] : { ...account, settings, discoveredRegions: null, regions };
  });
  return { ...config, accounts };
}

/**
 * What `check --launch` and `--plan` ask about: parses the texts of `--launch`, finds the account and region of each source,
 * and reduces the configuration to what they need.
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

/** A source without its account. The region is empty where nothing names it. */
export type UnplacedSource = Omit<AskedSource, 'account'>;

/** What `--account` and `--region` name. */
export interface Narrowing {
  readonly account?: readonly string[] | undefined;
  readonly region?: readonly string[] | undefined;
}

/** The flags of `check` that say what is asked about. Without `launch` and `plan`, all that is watched is judged. */
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

/** A text of `--launch`. `null` if it is none of {@link sourceForms}. */
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
 * The account and region that a source fits. Of several, the one whose configuration names the template or group.
 * `isWatched`: whether the daemon judges it there, as the default version of a template, or a scaling group.
 *
 * @returns `undefined` if there is none
 * @throws UsageError which names them if they are several
 */
export function placeOf(config: Config, narrowing: Narrowing, source: UnplacedSource) {
  const { launch, name, region: own } = source;
  const isGroup = 'scalingGroup' in launch;
  const isOfDaemon = isGroup || ('template' in launch && launch.version === null);
  // The key of a region that names such a source, and what counts without the key.
  const [id, key, absent] =
    'template' in launch
      ? [launch.template, 'launch_templates', []]
      : [isGroup ? launch.scalingGroup : null, 'scaling_groups', 'all'];
  const wanted = own === '' ? narrowing.region : [own];
  const isHere = (region: string) =>
    isSelected(wanted, region) && isSelected(narrowing.region, region);
  const places = config.accounts
    .filter((account) => isSelected(narrowing.account, account.name))
    .flatMap(({ discoveredRegions: found, name: account, regions, settings: ofAccount }) => {
      const others = wanted?.filter((region) => found?.except.includes(region) === false) ?? [];
      return [...regions, ...others.map((name) => ({ name, settings: found?.settings }))]
        .filter((region) => isHere(region.name))
        .map(({ name: region, settings }) => {
          const names = memberOf(settings, key) ?? absent;
          const isNamed = Array.isArray(names) && names.includes(id);
          // `all`, or names and tags: it may be selected, and counts as watched.
          const mayBeSelected = isNamed || !Array.isArray(names);
          const isWatched = isOfDaemon && mayBeSelected && memberOf(ofAccount, 'launches') === true;
          return { account, region, isNamed, isWatched };
        });
    });
  const naming = places.filter(({ isNamed }) => isNamed);
  const fitting = places.length > 1 && naming.length > 0 ? naming : places;
  if (fitting.length > 1) {
    const names = firstTen(fitting.map(({ account, region }) => `${region} of ${account}`));
    throw new UsageError(`${name} may be in ${names}: name one with --account and --region`);
  }
  return fitting[0];
}

/**
 * The sources of `--launch` with their accounts.
 *
 * @throws UsageError for one that fits no account, or several
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
 * The configuration without what the sources do not need: it polls, with the same credentials, only for them.
 *
 * @param families of which all types are asked for, and then also for the watched subnets
 */
export function configForSources(
  config: Config,
  sources: readonly AskedSource[],
  families: readonly string[] = [],
): Config {
  const accounts = config.accounts.flatMap((account) => {
    const own = sources.filter((source) => source.account === account.name);
    const names = [...new Set(own.map(({ region }) => region))];
    const watched = quotaAccountKeys.parse(account.settings).quota_types;
    const quota_types = chargeTypes.filter((type) => watched.includes(type));
    const regions = names.map((name) => {
      const given = account.regions.find((region) => region.name === name)?.settings;
      const ofRegion = own.filter(({ region }) => region === name);
      const launches = ofRegion.flatMap(({ launch }) => {
        if ('group' in launch) return launchesOfGroup(launch.group, launch.configuration);
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
      const subnets = families.length === 0 ? [] : (memberOf(given, 'subnets') ?? []);
      const settings = { ...given, instance_types: [], subnets, launch_templates, scaling_groups };
      const asked = { launches: uniqueBy(launches, JSON.stringify), versions, families };
      return { name, settings, asked };
    });
    const settings = { ...account.settings, launches: true, quota_types };
    return names.length === 0 ? [] : { ...account, settings, discoveredRegions: null, regions };
  });
  return { ...config, accounts };
}

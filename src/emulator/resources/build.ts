/** Builds the state from the parts of a scenario. */
import type {
  AccountScenario,
  RegionScenario,
  TemplateScenario,
  VersionScenario,
} from './schema.ts';
import { defaultVersionData } from './version-data.ts';
import { StateError } from './state-error.ts';
import type { Account, PrepaidQuota, Region, Template, TemplateVersion, Zone } from './model.ts';

type ZoneScenario = RegionScenario['zones'][number];

/** Receives a mistake of a part of a scenario. The part is then left out. */
type Report = (error: StateError) => void;

/** @param report is called for each mistake */
export function buildAccounts(
  scenarios: readonly AccountScenario[],
  { atMs, report }: { readonly atMs: number; readonly report: Report },
): Map<string, Account> {
  return uniqueMap('accounts', scenarios, {
    build: (account, reportInside) => buildAccount(account, { atMs, report: reportInside }),
    keyOf: (account) => account.name,
    report,
  });
}

interface BuildContext {
  readonly atMs: number;
  readonly report: Report;
}

function buildAccount(scenario: AccountScenario, { atMs, report }: BuildContext): Account {
  return {
    name: scenario.name,
    appId: scenario.app_id,
    uin: scenario.uin,
    keys: scenario.keys.map((key) => ({
      secretId: key.secret_id,
      secretKey: key.secret_key,
      token: key.token ?? null,
      validUntilMs: key.valid_for === undefined ? null : atMs + key.valid_for,
      policy: key.policy ?? null,
    })),
    roles: uniqueMap('roles', scenario.roles, {
      build: ({ name, id, policy = null, trust = null, max_session: maxSessionMs }) => ({
        name,
        id,
        policy,
        trust,
        maxSessionMs,
      }),
      keyOf: (role) => role.name,
      report,
    }),
    oidcProviders: uniqueMap('oidc_providers', scenario.oidc_providers, {
      build: ({ tokens, ...provider }) => ({
        ...provider,
        tokens: tokens.map(({ token, valid_for: validForMs }) => ({
          token,
          validUntilMs: validForMs === undefined ? null : atMs + validForMs,
        })),
      }),
      keyOf: (provider) => provider.id,
      report,
    }),
    sessions: new Map(),
    deniedOperations: new Set(scenario.denied_operations),
    regions: uniqueMap('regions', scenario.regions, {
      build: (region, reportInside) => buildRegion(region, { atMs, report: reportInside }),
      keyOf: (region) => region.name,
      report,
    }),
  };
}

function buildRegion(scenario: RegionScenario, { atMs, report }: BuildContext): Region {
  const { name, image, disaster_recover_group: groups } = scenario;
  const defaultZone = scenario.zones[0]?.name ?? `${name}-1`;
  return {
    name,
    state: scenario.state,
    zones: uniqueMap('zones', scenario.zones, {
      build: (zone) => buildZone(name, zone),
      keyOf: (zone) => zone.name,
      report,
    }),
    quotas: {
      image: image === undefined ? null : { ...image },
      disaster_recover_group:
        groups === undefined
          ? null
          : {
              used: groups.used,
              limit: groups.limit,
              instancesPerGroup: { ...groups.instances_per_group },
            },
    },
    templates: uniqueMap('launch_templates', scenario.launch_templates, {
      build: (template) => buildTemplate(template, { defaultZone, atMs }),
      keyOf: (template) => template.id,
      report,
    }),
  };
}

export function buildZone(
  region: string,
  scenario: Omit<ZoneScenario, 'state'> & Partial<Pick<ZoneScenario, 'state'>>,
): Zone {
  const { name, state = 'AVAILABLE', postpaid, prepaid, spotpaid } = scenario;
  if (!name.startsWith(`${region}-`)) {
    throw new StateError([], `${name} is not a zone of ${region}`);
  }
  return {
    name,
    state,
    quotas: {
      postpaid: postpaid === undefined ? null : { ...postpaid },
      prepaid: prepaid === undefined ? null : buildPrepaid(prepaid),
      spotpaid: spotpaid === undefined ? null : { ...spotpaid },
    },
  };
}

function buildPrepaid(scenario: NonNullable<ZoneScenario['prepaid']>): PrepaidQuota {
  const { used, limit, once_limit: onceLimit = limit } = scenario;
  return { used, limit, onceLimit };
}

export function buildTemplate(
  scenario: TemplateScenario,
  context: { defaultZone: string; atMs: number },
): Template {
  const versions = uniqueMap('versions', scenario.versions, {
    build: (version) => buildVersion(version, context),
    keyOf: ({ version }) => version,
    report: (error) => {
      throw error;
    },
  });
  if (!versions.has(scenario.default_version)) {
    const message = `${scenario.id} has no version ${scenario.default_version}`;
    throw new StateError(['default_version'], message);
  }
  return {
    id: scenario.id,
    name: scenario.name,
    tags: new Map(Object.entries(scenario.tags)),
    creationTime: [...versions.values()][0]?.creationTime ?? isoSeconds(context.atMs),
    defaultVersion: scenario.default_version,
    highestVersion: Math.max(...versions.keys()),
    versions,
    row: { omit: scenario.omit, fields: scenario.fields },
  };
}

export function buildVersion(
  scenario: VersionScenario | number,
  context: { defaultZone: string; atMs: number },
): TemplateVersion {
  const { version, description, creation_time, data, omit, fields } =
    typeof scenario === 'number' ? plainVersion(scenario) : scenario;
  return {
    version,
    description,
    creationTime: isoSeconds(
      creation_time === undefined ? context.atMs : Date.parse(creation_time),
    ),
    data: { ...defaultVersionData(context.defaultZone), ...data },
    row: { omit, fields },
  };
}

function plainVersion(version: number): VersionScenario {
  return { version, description: '', omit: [], fields: {} };
}

/** The form of CreationTime: `2020-12-17T01:54:31Z`. */
function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

interface MapOptions<S, K, V> {
  readonly build: (scenario: S, report: Report) => V;
  readonly keyOf: (value: V) => K;
  readonly report: Report;
}

function uniqueMap<S, K extends string | number, V>(
  list: string,
  scenarios: readonly S[],
  { build, keyOf, report }: MapOptions<S, K, V>,
): Map<K, V> {
  const map = new Map<K, V>();
  for (const [index, scenario] of scenarios.entries()) {
    const reportHere = ({ path, message }: StateError) => {
      report(new StateError([list, index, ...path], message));
    };
    try {
      const value = build(scenario, reportHere);
      const key = keyOf(value);
      if (map.has(key)) throw new StateError([], `${key} appears twice`);
      map.set(key, value);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      reportHere(error);
    }
  }
  return map;
}

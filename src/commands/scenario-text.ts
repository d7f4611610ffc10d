/** What `check` read, as a scenario of the emulator: to rehearse alerts on one's own figures. */
import { stringify } from 'yaml';
import type { LaunchTemplateSnapshot } from '../collectors/launch-template/answer.ts';
import type { AccountQuota, QuotaSnapshot } from '../collectors/quota/answer.ts';
import type { ScenarioInput } from '../emulator/scenario/scenario.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { TargetRecord } from '../model/record.ts';

type Account = ScenarioInput['accounts'][number];
type Region = NonNullable<Account['regions']>[number];
type Template = NonNullable<Region['launch_templates']>[number];

const head = `# Quotas and launch templates as check has read them, for: cvm-quota-monitor emulate --scenario=FILE
# The first account takes requests without a key. Names, descriptions and user data are left out.
`;

/** YAML. IDs are kept, and names, descriptions and the rest of the data of templates are left out. */
export function scenarioText(records: readonly TargetRecord[]): string {
  const accounts = grouped(records, 'account').map(([name, own], i): Account => {
    const quotas = own.flatMap(({ seen: { snapshot } }) => (isQuotas(snapshot) ? snapshot : []));
    const appId = quotas.find((each) => each.appId !== null)?.appId ?? null;
    return {
      name,
      ...(appId !== null && { app_id: appId }),
      // Only one account of a scenario can be without a key.
      ...(i > 0 && { keys: [{ secret_id: `rehearsal-${i}`, secret_key: 'rehearsal' }] }),
      regions: grouped(own, 'region').map(([region, ofRegion]) => regionOf(region, ofRegion)),
    };
  });
  return head + stringify({ accounts } satisfies ScenarioInput, { lineWidth: 0 });
}

function grouped(
  records: readonly TargetRecord[],
  key: 'account' | 'region',
): [string, TargetRecord[]][] {
  const groups = new Map<string, TargetRecord[]>();
  for (const record of records) {
    const name = record.target[key];
    groups.set(name, [...(groups.get(name) ?? []), record]);
  }
  return [...groups];
}

function isQuotas(snapshot: Snapshot | null): snapshot is QuotaSnapshot {
  return snapshot?.kind === 'quota';
}

function isTemplate(snapshot: Snapshot | null): snapshot is LaunchTemplateSnapshot {
  return snapshot?.kind === 'launch-template';
}

function regionOf(name: string, records: readonly TargetRecord[]): Region {
  const zones = new Map<string, Record<string, object>>();
  const ofRegion: Record<string, object> = {};
  const templates: Template[] = [];
  for (const { seen, target } of records) {
    const { snapshot } = seen;
    if (isTemplate(snapshot)) templates.push(...templateOf(target.resource, snapshot));
    if (!isQuotas(snapshot)) continue;
    for (const quota of snapshot.quotas) {
      if (quota.zone === null) {
        const limits = quota.type === 'image' ? null : snapshot.groupInstanceLimits;
        ofRegion[quota.type] = { ...quotaOf(quota), ...(limits && groupLimits(limits)) };
      } else zones.set(quota.zone, { ...zones.get(quota.zone), [quota.type]: quotaOf(quota) });
    }
  }
  return {
    name,
    zones: [...zones].map(([zone, quotas]) => ({ name: zone, ...quotas })),
    ...ofRegion,
    launch_templates: templates,
  };
}

function quotaOf({ limit, onceLimit, remaining, used: known }: AccountQuota): object {
  const used = known ?? 0;
  return {
    used,
    limit,
    ...(onceLimit !== null && { once_limit: onceLimit }),
    // The service need not answer with the difference.
    ...(remaining !== limit - used && { fields: { RemainingQuota: remaining } }),
  };
}

/** The limits of placement groups, if all of them are known. */
function groupLimits(limits: NonNullable<QuotaSnapshot['groupInstanceLimits']>): object {
  return Object.values(limits).includes(null) ? {} : { instances_per_group: limits };
}

/** A template whose default version is not known is left out: a scenario cannot say so. */
function templateOf(
  resource: TargetRecord['target']['resource'],
  { defaultVersion, versions }: LaunchTemplateSnapshot,
): Template[] {
  const id = resource?.['template_id'];
  if (id === undefined || defaultVersion === null) return [];
  const { chargeType, imageId, instanceType, version: current } = defaultVersion;
  const fields = { ImageId: imageId, InstanceType: instanceType, InstanceChargeType: chargeType };
  const known = Object.entries(fields).filter(([, value]) => value !== '');
  return [
    {
      id,
      default_version: current,
      versions: versions.map((version) =>
        version === current ? { version, data: Object.fromEntries(known) } : version,
      ),
    },
  ];
}

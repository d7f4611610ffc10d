/** What `check` read, as a scenario of the emulator: to rehearse alerts on one's own figures. */
import { stringify } from 'yaml';
import {
  isTemplate,
  type LaunchTemplateRecord,
} from '../collectors/launch-template/launch-template.ts';
import type { AccountQuota } from '../collectors/quota/answer.ts';
import { isQuotas } from '../collectors/quota/quota.ts';
import type { ScenarioInput } from '../emulator/scenario/scenario.ts';
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
    const appId = own.find(({ seen }) => seen.snapshot?.appId)?.seen.snapshot?.appId ?? null;
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

function regionOf(name: string, records: readonly TargetRecord[]): Region {
  const zones = new Map<string, Record<string, object>>();
  const ofRegion: Record<string, object> = {};
  const templates: Template[] = [];
  for (const record of records) {
    if (isTemplate(record)) templates.push(...templateOf(record));
    if (!isQuotas(record)) continue;
    for (const quota of record.seen.snapshot?.quotas ?? []) {
      if (quota.zone === null) {
        const { instanceLimits: limits } = quota;
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
function groupLimits(limits: NonNullable<AccountQuota['instanceLimits']>): object {
  return Object.values(limits).includes(null) ? {} : { instances_per_group: limits };
}

/** A template whose default version is not known is left out: a scenario cannot say so. */
function templateOf({ seen: { snapshot }, target }: LaunchTemplateRecord): Template[] {
  if (snapshot === null || snapshot.defaultVersion === null) return [];
  const { defaultVersion, versions } = snapshot;
  const { chargeType, imageId, instanceType, version: current } = defaultVersion;
  const fields = { ImageId: imageId, InstanceType: instanceType, InstanceChargeType: chargeType };
  const known = Object.entries(fields).filter(([, value]) => value);
  return [
    {
      id: target.resource.template_id,
      default_version: current,
      versions: versions.map((version) =>
        version === current ? { version, data: Object.fromEntries(known) } : version,
      ),
    },
  ];
}

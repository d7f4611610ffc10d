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
  const names = new Set(records.map(({ target }) => target.account));
  const accounts = [...names].map((name, i): Account => {
    const own = records.filter(({ target }) => target.account === name);
    const regions = new Set(own.map(({ target }) => target.region));
    const appId =
      own.find(({ observed }) => observed.snapshot?.appId)?.observed.snapshot?.appId ?? null;
    return {
      name,
      ...(appId !== null && { app_id: appId }),
      // Only one account of a scenario can be without a key.
      ...(i > 0 && { keys: [{ secret_id: `rehearsal-${i}`, secret_key: 'rehearsal' }] }),
      regions: [...regions].map((region) =>
        regionOf(
          region,
          own.filter(({ target }) => target.region === region),
        ),
      ),
    };
  });
  return head + stringify({ accounts } satisfies ScenarioInput, { lineWidth: 0 });
}

function regionOf(name: string, records: readonly TargetRecord[]): Region {
  const quotas = records
    .filter(isQuotas)
    .flatMap(({ observed }) => observed.snapshot?.quotas ?? []);
  const zones = new Set(quotas.flatMap(({ zone }) => zone ?? []));
  const quotasOf = (place: string | null) => {
    const own = quotas.filter(({ zone }) => zone === place);
    return Object.fromEntries(own.map((quota) => [quota.type, quotaOf(quota)]));
  };
  return {
    name,
    zones: [...zones].map((zone) => ({ name: zone, ...quotasOf(zone) })),
    ...quotasOf(null),
    launch_templates: records.filter(isTemplate).flatMap(templateOf),
  };
}

function quotaOf({ instanceLimits, limit, onceLimit, remaining, used }: AccountQuota): object {
  const isPlain = remaining === limit - (used ?? 0);
  const hasLimits = instanceLimits && !Object.values(instanceLimits).includes(null);
  return {
    used: used ?? 0,
    limit,
    ...(onceLimit !== null && { once_limit: onceLimit }),
    // The service need not answer with the difference.
    ...(!isPlain && { fields: { RemainingQuota: remaining } }),
    ...(hasLimits && { instances_per_group: instanceLimits }),
  };
}

/** A template whose default version is not known is left out: a scenario cannot say so. */
function templateOf({ observed: { snapshot }, target }: LaunchTemplateRecord): Template[] {
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

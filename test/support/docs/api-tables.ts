/** Tables of the API and of `check` for the documentation, from what the program answers. */
import { exitCodeTexts } from '../../../src/commands/check.ts';
import { checkExitCodes } from '../../../src/commands/command.ts';
import { checkJson, checkReport } from '../../../src/expose/check-report.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { launchParts } from '../../../src/model/launches/parts/parts.ts';
import { FakeMonitor, quota, quotas, quotaTarget, templateTarget } from '../fake-monitor.ts';
import { PolledTarget } from '../polled-target.ts';
import { defaultThresholds } from '../records.ts';
import { code, table } from './markdown.ts';

/** The exit codes of `check`, as its help has them. */
export function exitCodesTable(): string {
  const rows = Object.entries(exitCodeTexts) as [keyof typeof exitCodeTexts, string][];
  return table(
    ['code', 'status', 'when'],
    rows.map(([status, text]) => [String(checkExitCodes[status]), `\`${status}\``, text]),
  );
}

const region = 'ap-guangzhou';
const place = { account: 'production', region };

/** A quota that changed, and a template whose launch is judged. */
async function polledMonitor(): Promise<FakeMonitor> {
  const ofQuotas = quotaTarget('production', region);
  const template = new PolledTarget(templateTarget('production', region, 'lt-b8v1kcyq'));
  const stock = { ...place, operation: 'DescribeZoneInstanceConfigInfos' };
  const needs = { needs: [], launches: [], isInternational: false };
  const data = { InstanceType: 'S5.LARGE8', InstanceCount: 501 };
  const version = { LaunchTemplateVersion: 1, IsDefaultVersion: true };
  await template.poll({
    TotalCount: 1,
    LaunchTemplateVersionSet: [{ ...version, LaunchTemplateVersionData: data }],
  });
  const monitor = new FakeMonitor(ofQuotas, template.record.target, { ...stock, ...needs });
  monitor.published.publish(template.record);
  for (const limit of [10, 11]) monitor.poll(ofQuotas, quotas(quota({ used: 2, limit })));
  return monitor;
}

const lists = ['quotas', 'launches', 'targets', 'changes'] as const;

async function answerOf(monitor: FakeMonitor, address: string) {
  return (await monitor.json(`/api/v1/${address}`)).body as Record<string, unknown>;
}

/** The parameters of the page and of the lists. An answer to a wrong one says what is right. */
export async function parametersTable(): Promise<string> {
  const monitor = await polledMonitor();
  const page = await monitor.text('/?wrong=1');
  const allowedIn = (text: string) =>
    (/allowed are ([\w, ]+)/.exec(text)?.[1] ?? '').split(', ').filter((name) => name !== '');
  const names = new Map([['the page', allowedIn(page)]]);
  for (const list of lists) {
    names.set(list, allowedIn(String((await answerOf(monitor, `${list}?wrong=1`)).error)));
  }
  const all = [...new Set([...names.values()].flat())];
  const isOfAll = (name: string) => [...names.values()].every((own) => own.includes(name));
  const rows = [[code(all.filter(isOfAll)), 'all', 'of what is watched; repeatable']];
  for (const [list, own] of names) {
    for (const name of own.filter((each) => !isOfAll(each))) {
      const error =
        list === 'the page'
          ? await monitor.text(`/?${name}=%00`)
          : String((await answerOf(monitor, `${list}?${name}=%00`)).error);
      const [, values] = /must be (?:one of )?([^<]+)/.exec(error)!;
      const isList = error.includes('must be one of');
      rows.push([code([name]), list, isList ? code(values!.split(', ')) : values!]);
    }
  }
  return table(['parameter', 'of', 'value'], rows);
}

/** The names of the fields of an object, and of objects in it. */
function fieldsOf(value: object): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const [first] = Array.isArray(inner) ? (inner as unknown[]) : [inner];
    const isObject = typeof first === 'object' && first !== null;
    const prefix = Array.isArray(inner) ? `${name}[]` : name;
    if (!isObject) return [prefix];
    const keys = [inner].flat().flatMap((each) => Object.keys(each as object));
    return [`${prefix}.{${[...new Set(keys)].join(', ')}}`];
  });
}

/** The fields of each list, and of the document of `check`. */
export async function jsonFieldsTable(): Promise<string> {
  const monitor = await polledMonitor();
  const options = { thresholds: defaultThresholds, collectors, planned: [] };
  const document = checkJson(checkReport([], options), monitor.nowMs);
  const rows: string[][] = [['`check --output=json`', code(Object.keys(document))]];
  for (const list of lists) {
    const [first] = (await answerOf(monitor, list))[list] as object[];
    rows.push([`\`/api/v1/${list}\`, each`, code(fieldsOf(first!))]);
  }
  return table(['document', 'fields'], rows);
}

/** What the labels of metrics hold. */
const labelTexts: Readonly<Record<string, string>> = {
  account: "the account's `name` in the configuration",
  region: 'the region, such as `ap-guangzhou`',
  zone: 'the zone; absent for quotas that the service counts per region; on a launch, empty if nothing names one',
  quota_type: code([...collectors.quotaNames.keys()]),
  unit: 'what the quota counts: `instances`, `vcpus` (spotpaid), `images`, `groups`, `versions`, `addresses`',
  severity: '`warning`, `critical`: of a threshold, a quota, or of what blocks a launch',
  reason: `why a quota, a cycle or a launch has it; of a launch: ${code(launchParts.flatMap(({ reasons }) => Object.keys(reasons)))}`,
  part: `what decides on a launch: ${code(launchParts.map(({ name }) => name))}`,
  'template_id, template_name':
    'the launch template; on quotas, only of `launch_template_versions`; empty on a launch without one',
  'scaling_group_id, scaling_group_name':
    'the scaling group, on its launches instead of a template',
  'subnet_id, placement_group_id': 'of their quotas, and of `cvm_launch_info`',
  'instance_type, charge_type':
    'what a launch starts, and how it is paid: `postpaid`, `prepaid`, `spotpaid`',
  'disk_type, disk_usage, instance_family':
    'the cloud disk that launches need: `SYSTEM_DISK` or `DATA_DISK`, for instances of the family',
  'outcome, foretold':
    'how an activity of a scaling group ended, and whether the monitor had called the group blocked or short',
  operation: 'the operation of the service that a poll calls',
  code: 'an [error code of the service](service.md#9-error-codes), or a code of the monitor (see below); never free text',
  'direction, level, kind, type':
    'of a limit: `raised`, `lowered`; of a placement group: `host`, `switch`, `rack`; of a change or anomaly; of credentials',
  'version, image_id, launch_configuration_id, app_id': 'names in the words of the service',
  'revision, node_version, status_page, runbooks': 'what runs, and the links of alerts',
};

/**
 * The labels of all metrics.
 *
 * @throws Error for a label that has no text
 */
export function labelsTable(tables: readonly string[]): string {
  const used = tables.flatMap((each) =>
    [...each.matchAll(/^\| `\w+` +\| \w+ +\| ([\w, ]*?) *\|/gm)].flatMap(([, names]) =>
      names!.split(', '),
    ),
  );
  const described = Object.keys(labelTexts).flatMap((names) => names.split(', '));
  const lacking = used.filter((name) => name !== '' && !described.includes(name));
  if (lacking.length > 0) throw new Error(`what do these labels hold? ${lacking.join()}`);
  const rows = Object.entries(labelTexts).map(([names, text]) => [code(names.split(', ')), text]);
  const further =
    'the [`labels`](configuration.md#labels-of-accounts) of the account, on every series that has `account`';
  return table(['label', 'values'], [...rows, ['further ones', further]]);
}

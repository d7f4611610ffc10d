/**
 * The generated parts of the documentation, and what it must name: metrics and configuration keys. A page contains a
 * part between `<!-- generated: NAME -->` and `<!-- end -->`.
 */
import type { Collector } from '../../../src/collectors/collector.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { quotaCollector } from '../../../src/collectors/quota/quota.ts';
import { configJsonSchema } from '../../../src/config/schema.ts';
import {
  apiFamilies,
  createProcessMetrics,
  clusterFamilies,
  programFamilies,
  statusFamilies,
} from '../../../src/expose/metrics/monitor-metrics.ts';
import { freshnessFamilies } from '../../../src/expose/metrics/record-families.ts';
import type { EvaluatedLaunch } from '../../../src/model/launches/judge-region.ts';
import { launchFamilies, groupFamilies } from '../../../src/expose/metrics/launch-families.ts';
import { accountInfo } from '../../../src/expose/metrics/record-samples.ts';
import { operations } from '../../../src/emulator/scenario/vocabulary.ts';
import { launchParts, notCounted } from '../../../src/model/launches/parts/parts.ts';
import type { FamilyOf } from '../../../src/model/metric-family.ts';
import type { Target } from '../../../src/model/target.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { clusterStatus } from '../cluster-status.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../fake-monitor.ts';
import { PolledTarget } from '../polled-target.ts';
import { exitCodesTable, jsonFieldsTable, labelsTable, parametersTable } from './api-tables.ts';
import { code, table } from './markdown.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The paths of the keys below `path`. A union of objects gives the keys of each object. */
function keysOf(schema: Schema, path: string): string[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => keysOf(choice, path));
  if (schema.items !== undefined) return keysOf(schema.items, `${path}[]`);
  const prefix = path === '' ? '' : `${path}.`;
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = `${prefix}${name}`;
    // The source of a role has the keys of credentials again.
    return name === 'source' ? [key] : [key, ...keysOf(property, key)];
  });
}

/** The path of every key of the configuration, such as `accounts[].name`. */
export function configurationKeys(): readonly string[] {
  const schema: Schema = JSON.parse(configJsonSchema(collectors));
  return [...new Set(keysOf(schema, ''))];
}

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** The tables of metrics, by the name of their part. */
async function metricTables(): Promise<Readonly<Record<string, string>>> {
  const ofKinds = collectors.all.flatMap(metricsOfKind);
  const names = new Set(ofKinds.map(({ name }) => name));
  const sampled = await metricsOfTargets();
  refuseUndeclared(ofKinds, sampled);
  const common = sampled.filter(({ name }) => !names.has(name));
  const isPoll = ({ name }: Metric) => freshnessFamilies.some((family) => family.name === name);
  const isOfQuotas = ({ name }: Metric) => name.startsWith('cvm_quota_');
  const isTemplate = ({ name }: Metric) => name.startsWith('cvm_launch_template');
  const isStock = ({ name }: Metric) => /^cvm_(instance_type|disk)_/.test(name);
  const ofQuotas = new Set(quotaCollector.families.map(({ name }) => name));
  const isQuota = ({ name }: Metric) => ofQuotas.has(name);
  return {
    'metrics of quotas': tableOf([...common.filter(isOfQuotas), ...ofKinds.filter(isQuota)]),
    'metrics of launch templates': tableOf(ofKinds.filter(isTemplate)),
    // With those of the stock that they need.
    'metrics of launches': tableOf([
      ...withLabels(optionLabels, metricsIn(launchFamilies, blockedLaunch)),
      ...withLabels(['scaling_group_id'], metricsIn(groupFamilies, blockedLaunch)),
      ...ofKinds.filter(isStock),
    ]),
    'metrics of other targets': tableOf(
      ofKinds.filter((metric) => ![isQuota, isTemplate, isStock].some((is) => is(metric))),
    ),
    'metrics of polls': tableOf(common.filter(isPoll)),
    'metrics of the daemon': tableOf([
      { ...accountInfo, labels: ['account'] },
      ...metricsIn(programFamilies, new FakeMonitor().view),
      ...metricsIn(statusFamilies, fullStatus),
      ...createProcessMetrics()
        .registry.getMetricsAsArray()
        .filter(({ name }) => isOurs(name))
        .map(({ help, name }) => ({ name, type: 'histogram', labels: ['operation'], help })),
      ...metricsIn(apiFamilies, api),
    ]),
    'metrics of a cluster': tableOf(metricsIn(clusterFamilies, clusterStatus())),
  };
}

/** The metrics of a kind, with the labels that their families declare. */
function metricsOfKind({ families, resourceLabels }: Collector): readonly Metric[] {
  return families.map(({ name, type, help, labels = [] }) => {
    return { name, type, help, labels: ['account', 'region', ...resourceLabels, ...labels] };
  });
}

function refuseUndeclared(declared: readonly Metric[], sampled: readonly Metric[]): void {
  for (const { name, labels } of declared) {
    const used = sampled.find((metric) => metric.name === name)?.labels ?? [];
    const other = used.find((label) => !labels.includes(label));
    if (other !== undefined) throw new Error(`${name} does not declare its label ${other}`);
  }
}

const isOurs = (name: string) => name.startsWith('cvm_');

function tableOf(metrics: readonly Metric[]): string {
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    metrics.map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]),
  );
}

/** The exposition of targets that had every kind of outcome. */
async function metricsOfTargets(): Promise<readonly Metric[]> {
  const quotaOnly = quotaTarget('production', 'ap-guangzhou');
  const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
  const failing = templateTarget('production', 'ap-guangzhou', 'lt-lobxe2yo');
  const resources = [
    await polledResources('DescribeSubnets', 'Subnet'),
    await polledResources('DescribeDisasterRecoverGroups', 'DisasterRecoverGroup'),
  ];
  const targets = resources.map(({ target }) => target);
  const monitor = new FakeMonitor(quotaOnly, template, failing, ...targets);
  for (const record of resources) monitor.published.publish(record);
  const failed = { code: 'InternalError', message: '' };
  monitor.poll(quotaOnly, failed);
  const gone = quota({ zone: 'ap-guangzhou-4', used: 2, limit: 10 });
  monitor.poll(quotaOnly, quotas(quota({ used: 2, limit: 300, onceLimit: 300 }), gone));
  for (let poll = 0; poll < 4; poll += 1) {
    monitor.poll(quotaOnly, quotas(quota({ used: 2, limit: 288, onceLimit: 300 })));
  }
  monitor.poll(failing, failed);
  monitor.poll(template, failed);
  monitor.poll(template, versions([1, 2], 2), [{ kind: 'invalid-row', detail: '' }]);
  return metricsOf(await monitor.metrics());
}

/** Of two subnets or placement groups, one grew, and one disappeared. */
async function polledResources(operation: string, noun: string): Promise<TargetRecord> {
  const place = { account: 'production', region: 'ap-guangzhou', operation };
  const ids = ['subnet-bthucmmy', 'subnet-gone0001'];
  const polled = new PolledTarget({ ...place, ids } as Target);
  polled.nowMs = new FakeMonitor().nowMs - 6 * 60_000;
  const answer = (total: number, ...named: readonly string[]) => ({
    TotalCount: named.length,
    [`${noun}Set`]: named.map((id) => ({
      [`${noun}Id`]: id,
      Zone: 'ap-guangzhou-3',
      ...{ AvailableIpAddressCount: 3, TotalIpAddressCount: total },
      ...{ CurrentNum: total - 3, CvmQuotaTotal: total },
    })),
  });
  await polled.poll(answer(13, ...ids));
  for (let poll = 0; poll < 5; poll += 1) await polled.poll(answer(253, 'subnet-bthucmmy'));
  return polled.record;
}

function metricsOf(exposition: string): readonly Metric[] {
  return [...exposition.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const samples = exposition.matchAll(new RegExp(String.raw`^${name}\{(.*)\} `, 'gm'));
      const labels = [...samples].flatMap(([, text = '']) =>
        [...text.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
      );
      return { name, type, help, labels: [...new Set(labels)] };
    },
  );
}

const sampleOf = (...names: string[]) => ({
  labels: Object.fromEntries(names.map((name) => [name, name])),
  value: 1,
});
const byCode = new Map([['code', 1]]);
const call = { account: 'account', operation: 'operation' };
const api = {
  requests: [{ labels: call, requests: 1, waitSeconds: 1, errors: byCode, retries: byCode }],
  rates: [sampleOf('account', 'operation')],
  clockSkews: [sampleOf('account')],
  credentialsExpiries: [sampleOf('account')],
  credentialsFailures: [sampleOf('account', 'type')],
};
const fullStatus = { ...new FakeMonitor().status, leftOut: new Map([['production', ['ap-x']]]) };

/** The families, with the labels of their samples of `shown`. */
function metricsIn<Shown>(families: readonly FamilyOf<Shown>[], shown: Shown): readonly Metric[] {
  return families.map((family) => {
    const labels = family.samples(shown).flatMap((sample) => Object.keys(sample.labels));
    return { ...family, labels: [...new Set(labels)] };
  });
}

const optionLabels = ['template_id', 'scaling_group_id', 'zone', 'instance_type', 'charge_type'];
const blockedPart = { part: launchParts[0]!, isKnown: true, reason: 'quota', severity: 'critical' };
/** A launch that has every sample of its families. */
const blockedLaunch = {
  ...{ state: 'critical', parts: [blockedPart], blocking: [blockedPart], isShort: true },
  ...{ headroom: 0, missing: 1, subnets: ['subnet'], templateName: 'name', version: 1 },
} as unknown as EvaluatedLaunch;

function withLabels(labels: readonly string[], metrics: readonly Metric[]): readonly Metric[] {
  return metrics.map((metric) => ({
    ...metric,
    labels: ['account', 'region', ...labels, ...metric.labels],
  }));
}

/** The parts of launches: what each holds, and for which reasons and how severely it blocks. */
function launchPartsTable(): string {
  return table(
    ['part', 'holds', 'reason', 'severity'],
    launchParts.map(({ holds, name, reasons }) => {
      const severities = Object.entries(reasons).flatMap(([reason, { warning }]) =>
        warning === undefined ? [] : `\`${reason}\` is a warning ${warning}`,
      );
      return [name, holds, code(Object.keys(reasons)), ['critical', ...severities].join('; ')];
    }),
  );
}

/** The codes with which launches are refused, by reason. */
function refusalCodesTable(): string {
  const rows = launchParts.flatMap(({ reasons }) => Object.entries(reasons));
  return table(
    ['code of RunInstances', 'reason'],
    rows
      .filter(([, { codes }]) => codes.length > 0)
      .map(([reason, { codes }]) => [code(codes), code([reason])]),
  );
}

/** A line for each reason that blocks a launch, with what to do. */
function launchRemedies(): string {
  const rows = launchParts.flatMap(({ reasons }) => Object.entries(reasons));
  return rows.map(([reason, { remedy }]) => `- \`${reason}\`: ${remedy}`).join('\n');
}

/** The operations of the emulator, by service. */
function emulatedOperationsTable(): string {
  const rows = Object.entries(operations);
  const services = new Map(rows.map(([, { service, version }]) => [service, version]));
  return table(
    ['service', 'version', 'operations'],
    [...services].map(([name, version]) => {
      const own = rows.filter(([, { service }]) => service === name);
      return [name, version, code(own.map(([operation]) => operation))];
    }),
  );
}

/** The text of each part, by name. */
export async function generatedParts(): Promise<ReadonlyMap<string, string>> {
  const metrics = await metricTables();
  return new Map([
    ...Object.entries(metrics),
    ['parts of launches', launchPartsTable()],
    ['codes of refusals', refusalCodesTable()],
    ['not counted for launches', `Not counted: ${notCounted}.`],
    ['remedies for launches', launchRemedies()],
    ['operations of the emulator', emulatedOperationsTable()],
    ['labels of metrics', labelsTable(Object.values(metrics))],
    ['exit codes of check', exitCodesTable()],
    ['parameters of addresses', await parametersTable()],
    ['fields of JSON', await jsonFieldsTable()],
    [
      'operations of launches',
      `${launchParts.map(({ name, operation }) => `\`${name}\` ${operation}`).join(', ')}.`,
    ],
  ]);
}

const part = /(?<start><!-- generated: (?<name>.+) -->\n)[^]*?(?=<!-- end -->)/g;

/** The names of the generated parts of a page. */
export function partsOf(page: string): readonly string[] {
  return [...page.matchAll(part)].map(({ groups }) => groups!.name!);
}

/** The page with new generated parts. A part with an unknown name becomes empty. */
export function regenerate(page: string, parts: ReadonlyMap<string, string>): string {
  return page.replaceAll(part, (_match, start: string, name: string) => {
    return `${start}\n${parts.get(name) ?? ''}\n\n`;
  });
}

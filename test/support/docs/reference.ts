/**
 * The generated parts of the documentation: metrics, flags, configuration keys. A page contains a part between
 * `<!-- generated: NAME -->` and `<!-- end -->`.
 */
import { createProgram } from '../../../src/commands/program.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { configJsonSchema } from '../../../src/config/schema.ts';
import type { Command, Option } from 'commander';
import { table } from './markdown.ts';
import type { Registry } from 'prom-client';
import type { Collector } from '../../../src/collectors/collector.ts';
import { quotaCollector } from '../../../src/collectors/quota/quota.ts';
import { accountInfo } from '../../../src/expose/metrics/record-texts.ts';
import { launchFamilies } from '../../../src/expose/metrics/launch-families.ts';
import { clusterRegistry, monitorRegistry } from '../exposed-metrics.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../fake-monitor.ts';

interface Schema {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * A table of every key: its path, its values, its default, its meaning.
 *
 * @param jsonSchema the text of the schema
 */
function configurationKeys(jsonSchema: string): string {
  const schema: Schema = JSON.parse(jsonSchema);
  return table(['key', 'value', 'default', 'meaning'], rowsOf(schema, ''));
}

type Row = readonly [key: string, value: string, fallback: string, meaning: string];

/** The keys below `path`. A union of objects gives the keys of each object. */
function rowsOf(schema: Schema, path: string): Row[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => rowsOf(choice, path));
  if (schema.items !== undefined) return rowsOf(schema.items, `${path}[]`);
  const type = schema.properties?.type?.const;
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const prefix = path === '' ? '' : `${path}.`;
    const variant = type === undefined || name === 'type' ? '' : ` (${type})`;
    const row: Row = [
      `\`${prefix}${name}\`${variant}`,
      valueOf(property),
      fallbackOf(property, schema.required?.includes(name) ?? false),
      property.description ?? '',
    ];
    // The source of a role has the keys of credentials again.
    return name === 'source' ? [row] : [row, ...rowsOf(property, `${prefix}${name}`)];
  });
}

function valueOf(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(valueOf))].join(' or ');
  if (schema.items !== undefined) return `list of ${valueOf(schema.items)}`;
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'object') return 'mapping';
  if (schema.pattern?.includes('(?:(\\d+)ms)') === true) return 'duration';
  if (schema.pattern?.endsWith('%$') === true) return 'share';
  if (schema.multipleOf === 1) return 'count';
  if (schema.format === 'date') return 'date';
  return schema.type ?? '';
}

/** A mapping has no own default: its keys have defaults. */
function fallbackOf({ default: fallback, type }: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  if (fallback === undefined || (type === 'object' && JSON.stringify(fallback) === '{}')) return '';
  return code(typeof fallback === 'string' ? fallback : JSON.stringify(fallback));
}

const code = (text: string) => `\`${text}\``;

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

interface MetricTables {
  readonly quotas: string;
  readonly launchTemplates: string;
  /** Of launches, and of the stock that they need. */
  readonly launches: string;
  /** Of every other kind of target. */
  readonly others: string;
  readonly polls: string;
  readonly daemon: string;
  /** Exposed only with a cluster. */
  readonly cluster: string;
}

async function metricTables(): Promise<MetricTables> {
  const ofKinds = collectors.all.flatMap(metricsOfKind);
  const names = new Set(ofKinds.map(({ name }) => name));
  const sampled = await metricsOfTargets();
  refuseUndeclared(ofKinds, sampled);
  const common = sampled.filter(({ name }) => !names.has(name) && name !== accountInfo.name);
  const isPoll = ({ name }: Metric) => name.startsWith('cvm_monitor_');
  const isTemplate = ({ name }: Metric) => name.startsWith('cvm_launch_template');
  const isStock = ({ name }: Metric) => name.startsWith('cvm_instance_type');
  const ofQuotas = new Set(quotaCollector.families.map(({ name }) => name));
  const isQuota = ({ name }: Metric) => ofQuotas.has(name);
  return {
    quotas: tableOf([...common.filter((metric) => !isPoll(metric)), ...ofKinds.filter(isQuota)]),
    launchTemplates: tableOf(ofKinds.filter(isTemplate)),
    launches: tableOf([
      ...launchFamilies.map(({ labels, ...family }) => ({
        ...family,
        labels: ['account', 'region', ...labels],
      })),
      ...ofKinds.filter(isStock),
    ]),
    others: tableOf(
      ofKinds.filter((metric) => ![isQuota, isTemplate, isStock].some((is) => is(metric))),
    ),
    polls: tableOf(common.filter(isPoll)),
    daemon: tableOf([
      { ...accountInfo, labels: ['account', '…'] },
      ...metricsIn(monitorRegistry()),
    ]),
    cluster: tableOf(metricsIn(clusterRegistry())),
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
  const monitor = new FakeMonitor(quotaOnly, template, failing);
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

function metricsIn(registry: Registry): readonly Metric[] {
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => isOurs(name))
    .map((metric) => ({
      name: metric.name,
      type: String(metric.type),
      help: metric.help,
      labels: 'labelNames' in metric ? (metric.labelNames as readonly string[]) : [],
    }));
}

/** A row for each flag of each command. A flag that several commands have in the same way has one row. */
function commandReference(program: Command): string {
  const commandsOf = new Map<string, string[]>();
  for (const command of program.commands) {
    for (const option of command.options) {
      const cells = [
        code(option.flags.replace(/ ([<[])/, '=$1')),
        defaultOf(option),
        meaningOf(option),
      ];
      const key = JSON.stringify(cells);
      commandsOf.set(key, [...(commandsOf.get(key) ?? []), code(command.name())]);
    }
  }
  const rows = [...commandsOf].map(([key, commands]) => {
    const [flag, ...others] = JSON.parse(key) as string[];
    return [flag!, commands.join(', '), ...others];
  });
  return table(['flag', 'of', 'default', 'meaning'], rows);
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return code(defaultValueDescription);
  return defaultValue === undefined ? '' : code(String(defaultValue));
}

function meaningOf({ argChoices, description }: Option): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.map(code).join(', ')}`;
  return description + choices;
}

/** The text of each part, by name. */
export async function generatedParts(): Promise<ReadonlyMap<string, string>> {
  const metrics = await metricTables();
  return new Map([
    ['metrics of quotas', metrics.quotas],
    ['metrics of launch templates', metrics.launchTemplates],
    ['metrics of launches', metrics.launches],
    ['metrics of other targets', metrics.others],
    ['metrics of polls', metrics.polls],
    ['metrics of the daemon', metrics.daemon],
    ['metrics of a cluster', metrics.cluster],
    ['flags', commandReference(createProgram(() => undefined))],
    ['configuration keys', keyTable()],
  ]);
}

/** Every key of the configuration, as a table. */
export function keyTable(): string {
  return configurationKeys(configJsonSchema(collectors));
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

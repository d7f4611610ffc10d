/** The shipped alert rules, the cases that say when they fire, and their series. */
import { join } from 'node:path';
import { repository } from '../docs/markdown.ts';
import { fixtureOf } from '../rows.ts';

export const rulesPath = join(repository, 'config/prometheus/rules.yaml');

type Labels = Readonly<Record<string, string>>;

export interface AlertText {
  readonly at: string;
  readonly alert: string;
  readonly labels: Labels;
  readonly summary: string;
  readonly description?: string;
  readonly status_page?: string;
  readonly runbook_url?: string;
}

export interface RuleCase {
  readonly case: string;
  readonly series: readonly string[];
  readonly expect?: readonly (readonly [time: string, alertname: string, ...labels: string[]])[];
  readonly text?: AlertText;
  readonly isDoubled?: boolean;
}

interface EveryAlert {
  readonly alert: string;
  readonly family: string | null;
  readonly series: readonly string[];
}

export const ruleCases = fixtureOf<readonly RuleCase[]>('prometheus/rule-cases');
/** At the end of two hours, each of these alerts fires. */
export const everyAlert = fixtureOf<readonly EveryAlert[]>('prometheus/every-alert');

/** A series with a value for each minute: a number, `_` for none, or `stale`. */
export interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly values: readonly string[];
}

/** Reads a series of the fixtures. Without `job` or `instance`, it is of the daemon a:10042. */
export function parseSeries(line: string): Series {
  const [, name = '', labels = '', values = ''] = /^(\w+)(?:\{(.*)\})? (.+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
  return {
    name,
    labels: { job: 'cvm-quota-monitor', instance: 'a:10042', ...Object.fromEntries(pairs) },
    values: values.split(' ').flatMap(expand),
  };
}

/** Numbers in the notation of promtool, such as `10-2x3`: 10, 8, 6 and 4. */
function expand(word: string): string[] {
  const [, first, step = '0', count] = /^(_|-?[\d.]+)([+-][\d.]+)?x(\d+)$/.exec(word) ?? [];
  if (first === undefined) return [word];
  if (first === '_') return Array<string>(Number(count)).fill('_');
  return Array.from({ length: Number(count) + 1 }, (_, i) => `${Number(first) + i * Number(step)}`);
}

/** The name and labels of a series, as PromQL writes them. */
export function seriesName({ labels, name }: Series): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join()}}`;
}

/** A second daemon in another pod exposes the same. */
export const twin = ({ labels, ...series }: Series): Series => ({
  ...series,
  labels: { ...labels, instance: `twin-of-${labels.instance}`, pod: 'twin' },
});

const labelled = (more: Labels) => (series: Series) => ({
  ...series,
  labels: { ...series.labels, ...more },
});

/** Prometheus renames labels of a series that the target has, too. */
function ofTarget({ labels, ...series }: Series): Series {
  const target: Labels = { account: 'rack', site: 'north', team: 'metal', zone: 'one' };
  const renamed = Object.entries(labels).map(([label, value]) => [
    label in target ? `exported_${label}` : label,
    value,
  ]);
  return { ...series, labels: { ...Object.fromEntries(renamed), ...target } };
}

const links: Series = parseSeries('cvm_monitor_links_info{status_page="p",runbooks="r"} 1x140');

/** What installations do to series, by its name. Every alert of `everyAlert` fires nevertheless. */
export const hostileVariants: Readonly<Record<string, (all: readonly Series[]) => Series[]>> = {
  'series of one daemon': (all) => [...all],
  'two daemons': (all) => [...all, ...all.map(twin)],
  'two installations with different addresses': (all) => [
    ...[...all, links].map(labelled({ cluster: 'one' })),
    ...[...all, labelled({ status_page: 'q' })(links)].map(labelled({ cluster: 'two' })),
  ],
  'addresses that are there twice': (all) => [...all, links, labelled({ status_page: 'q' })(links)],
  'labels of the account that change': (all) =>
    all.flatMap(({ values, ...series }) => [
      labelled({ env: 'old' })({ ...series, values: [...values.slice(0, 50), 'stale'] }),
      labelled({ env: 'new' })({
        ...series,
        values: values.map((value, minute) => (minute < 50 ? '_' : value)),
      }),
    ]),
  'series that are federated, too': (all) => [...all, ...all.map(labelled({ prometheus: 'east' }))],
  'labels of the target': (all) => all.map(ofTarget),
  'labels that a ruler adds': (all) => all.map(labelled({ tenant: 'blue' })),
};

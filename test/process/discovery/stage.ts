/** A daemon that discovers, the service, and a gateway that can change each answer. */
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../../support/daemon-process.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { startMonitor, type Monitor, type MonitorOptions } from '../../support/monitor.ts';
import { Samples } from '../../support/samples.ts';

export const region = 'ap-guangzhou';
const secondMs = 1_000;

type Account = NonNullable<ScenarioInput['accounts']>[number];
type Region = NonNullable<Account['regions']>[number];
type Template = NonNullable<Region['launch_templates']>[number];

/** Such as `lt-000001aa`. */
export const idOf = (n: number) => `lt-${String(n).padStart(6, '0')}aa`;

export const template = (n: number, others: Partial<Template> = {}): Template => ({
  id: idOf(n),
  name: `web-${n}`,
  default_version: 2,
  versions: [1, 2, 5],
  ...others,
});

export const templates = (count: number) =>
  Array.from({ length: count }, (_, i) => template(i + 1));

export const oneRegion = (launch_templates: Template[]): Region[] => [
  { name: region, zones: [{ name: `${region}-3` }], launch_templates },
];

export interface StageOptions extends Partial<Omit<MonitorOptions, 'config'>> {
  /** The regions of the service. */
  readonly regions: Region[];
  /** The account of the configuration, besides its name and credentials. */
  readonly account: Partial<ConfigInput['accounts'][number]>;
  readonly poll?: ConfigInput['poll'];
  /** The faults of the service at the start of the daemon. */
  readonly replacementFor?: Gateway['replacementFor'];
}

export interface Stage {
  readonly monitor: Monitor;
  readonly emulator: Monitor['emulator'];
  readonly gateway: Gateway;
  /** What is configured. A reload reads it again. */
  readonly account: StageOptions['account'];
  /** Runs one complete cycle, after a second, and returns the number of requests of each operation. */
  readonly cycle: (afterMs?: number) => Promise<Readonly<Record<string, number>>>;
  readonly samples: () => Promise<Samples>;
  /** The kinds and values of all changes, oldest first. */
  readonly changes: () => Promise<readonly string[]>;
}

interface Changes {
  readonly changes: readonly {
    readonly kind: string;
    readonly from: number | string | null;
    readonly to: number | string | null;
  }[];
}

export async function startStage({
  regions,
  account,
  poll = {},
  replacementFor,
  ...options
}: StageOptions): Promise<Stage> {
  const gateways: Gateway[] = [];
  const monitor = await startMonitor({
    scenario: { requests_per_second: 1_000_000, accounts: [{ name: 'production', regions }] },
    serviceUrl: async (emulator) => {
      const started = await startGateway(emulator);
      if (replacementFor !== undefined) started.replacementFor = replacementFor;
      gateways.push(started);
      return started.url;
    },
    config: ({ endpoint }) => ({
      poll,
      api: { endpoint, max_attempts: 1, requests_per_second: 20 },
      accounts: [{ name: 'production', credentials: { type: 'none' }, regions: [], ...account }],
    }),
    ...options,
  });
  const gateway = gateways[0]!;
  const samples = async () => new Samples(await monitor.text());
  return {
    monitor,
    emulator: monitor.emulator,
    gateway,
    account,
    samples,
    cycle: async (afterMs = secondMs) => {
      const ended = async () => (await samples()).sum('cvm_monitor_cycles_total');
      const [before, sent] = [await ended(), gateway.requests.length];
      monitor.clock.advance(afterMs);
      monitor.schedule.due();
      await monitor.until(async () => (await ended()) > before);
      return countByAction(gateway.requests.slice(sent));
    },
    changes: async () => {
      const { changes } = (await monitor.json('/api/v1/changes')) as Changes;
      return changes.toReversed().map(({ kind, from, to }) => `${kind} ${from ?? to ?? ''}`);
    },
  };
}

export function countByAction(requests: Gateway['requests']): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { query } of requests) {
    const action = query.Action ?? '';
    counts[action] = (counts[action] ?? 0) + 1;
  }
  return counts;
}

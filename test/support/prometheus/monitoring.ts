/** All programs from the emulated service to the receiver of notifications. Only the service is not real. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningEmulator } from '../../../src/emulator/emulator.ts';
import { temporaryDirectory } from '../directories.ts';
import type { ConfigInput } from '../monitor.ts';
import { accountWith, emulateAccounts, regionOf } from '../emulator.ts';
import { startDaemon, type Daemon } from '../program.ts';
import { hasProgram } from '../programs.ts';
import { PrometheusApi } from './prometheus-api.ts';
import {
  type WebhookReceiver,
  freeAddress,
  startAlertmanager,
  startPrometheus,
  startWebhookReceiver,
} from './servers.ts';

/** Whether everything can run here. */
export const hasMonitoring = ['prometheus', 'prometheus-alertmanager']
  .map((program) => hasProgram(program, program))
  .every(Boolean);

const shipped = join(import.meta.dirname, '../../../config');

interface Edit {
  readonly from: RegExp;
  readonly to: string;
}

/** A copy of config/alertmanager/ whose receivers are paths of `receiver`. Returns the file. */
async function alertmanagerConfig(receiver: string): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(join(shipped, 'alertmanager'), directory, { recursive: true });
  const file = join(directory, 'alertmanager.yaml');
  await edit(file, [
    { from: /localhost:9095/g, to: receiver },
    { from: /(group_(?:wait|interval): )\d+[sm]$/gm, to: '$11s' },
  ]);
  return file;
}

/** A copy of config/prometheus/ that scrapes `daemon` and sends to `alertmanager`. Returns the file. */
export async function prometheusConfig(addresses: {
  readonly daemon: string;
  readonly alertmanager: string;
}): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(join(shipped, 'prometheus'), directory, { recursive: true });
  const file = (path: string) => join(directory, path);
  await edit(file('targets/cvm-quota-monitor.yaml'), [
    { from: /localhost:10042/, to: addresses.daemon },
  ]);
  await edit(file('targets/alertmanager.yaml'), [
    { from: /localhost:9093/, to: addresses.alertmanager },
  ]);
  await edit(file('prometheus.yaml'), [
    { from: /(scrape_interval: )30s/, to: '$11s' },
    { from: /(evaluation_interval: )30s/, to: '$11s' },
  ]);
  // What inhibits still outlives what it inhibits.
  await edit(file('rules.yaml'), [{ from: /\b((?:keep_firing_)?for: \d+)m/g, to: '$1s' }]);
  return file('prometheus.yaml');
}

async function edit(file: string, edits: readonly Edit[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const { from, to } of edits) {
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${file}: nothing matches ${from}`);
    text = edited;
  }
  await writeFile(file, text);
}

export const account = 'production';
export const region = 'ap-guangzhou';
export const zone = 'ap-guangzhou-3';
/** An additional zone. A test can change its figures. */
const otherZone = 'ap-guangzhou-4';
/** An additional region. Its requests can fail. */
const otherRegion = 'ap-shanghai';
export const templateId = 'lt-b8v1kcyq';

export interface Monitoring extends Alerting {
  readonly emulator: RunningEmulator;
  /** The `host:port` of the daemon. */
  readonly address: string;
  readonly daemon: Daemon;
}

export interface Alerting {
  readonly receiver: WebhookReceiver;
  readonly prometheus: PrometheusApi;
}

/**
 * Starts Prometheus, Alertmanager and its receiver, with the shipped files. Minutes of the rules are seconds.
 *
 * @param daemon its `host:port`
 * @param changed the lines of config/prometheus/prometheus.yaml, changed
 */
export async function startAlerting(
  daemon: string,
  changed: (configuration: string) => string = (text) => text,
): Promise<Alerting> {
  const receiver = await startWebhookReceiver();
  const alertmanager = await startAlertmanager(await alertmanagerConfig(receiver.address));
  const config = await prometheusConfig({ daemon, alertmanager });
  await writeFile(config, changed(await readFile(config, 'utf8')));
  return { receiver, prometheus: new PrometheusApi(await startPrometheus(config)) };
}

/** Starts everything. Every target was polled once before the first scrape. */
export async function startMonitoring(): Promise<Monitoring> {
  const emulator = await startService();
  // The address stays the same when the daemon is started again.
  const address = await freeAddress();
  const daemon = await startDaemon({
    config: configFor(emulator.url),
    flags: [`--web.listen-address=${address}`, '--web.external-url=https://quota.example.com'],
  });
  return { emulator, address, daemon, ...(await startAlerting(address)) };
}

function startService(): Promise<RunningEmulator> {
  const launch_templates = [{ id: templateId, default_version: 1, versions: [1, 2] }];
  const launch_configurations = [{ id: 'asc-12345678', instance_types: ['S5.LARGE8'] }];
  const group = { id: 'asg-12345678', launch_configuration: 'asc-12345678', max_size: 9 };
  const scaling_groups = [{ ...group, zones: [otherZone] }];
  const keys = { launch_templates, launch_configurations, scaling_groups };
  const watched = regionOf(region, keys, [zone, otherZone]);
  const zones = watched.zones?.map((each) => ({
    ...each,
    postpaid: { used: 10, limit: 100 },
    instance_types: [{ type: 'S5.LARGE8', cpu: 2, memory: 8 }],
  }));
  const other = { name: otherRegion, image: { used: 1, limit: 10 } };
  const roles = [{ name: 'monitor' }];
  return emulateAccounts([accountWith(account, [{ ...watched, zones }, other], { roles })], {
    machine: { role: 'monitor' },
  });
}

function configFor(endpoint: string): ConfigInput {
  return {
    poll: { schedule: '* * * * * *' },
    api: { endpoint, metadata_endpoint: endpoint, max_attempts: 2 },
    accounts: [
      {
        name: account,
        labels: { team: 'payments' },
        credentials: { type: 'cvm_role' },
        launches: true,
        regions: [
          {
            name: region,
            launch_templates: [templateId],
            instance_types: [{ type: 'S5.LARGE8', zones: [zone], charge_types: ['postpaid'] }],
          },
          otherRegion,
        ],
      },
    ],
  };
}

/** Changes something of every kind, so that each query of the dashboard has an answer. */
export function changeEverything(emulator: RunningEmulator): void {
  // No launch of the zone has room now.
  emulator.do({ do: 'set-used', region, zone, quota_type: 'postpaid', used: 100 });
  emulator.do({ do: 'set-limit', region, zone, quota_type: 'spotpaid', limit: 50 });
  emulator.do({
    do: 'create-version',
    region,
    template_id: templateId,
    omit: ['LaunchTemplateVersion'],
  });
  const refusals = [{ Code: 'ResourcesSoldOut.SpecifiedInstanceType', Zone: otherZone }];
  const activity = { scaling_group_id: 'asg-12345678', status: 'FAILED', refusals } as const;
  emulator.do({ do: 'add-activity', region, ...activity });
  emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 2 });
  emulator.faults.add({ effect: 'error', code: 'InternalError', region: otherRegion });
}

/** All programs from the emulated service to the receiver of notifications. Only the service is not real. */
import { startEmulator, type RunningEmulator } from '../../../src/emulator/emulator.ts';
import { onTestFinished } from 'vitest';
import { startDaemon, type ConfigInput, type DaemonProcess } from '../daemon-process.ts';
import { PrometheusApi } from './prometheus-api.ts';
import { startScrapeRelay, type ScrapeRelay } from './scrape-relay.ts';
import { startAlertmanager, startPrometheus } from './server-process.ts';
import { alertmanagerConfig, prometheusConfig } from './shipped-config.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const account = 'production';
export const region = 'ap-guangzhou';
export const zone = 'ap-guangzhou-3';
/** An additional zone. A test can change its figures. */
const otherZone = 'ap-guangzhou-4';
/** An additional region. Its requests can fail. */
const otherRegion = 'ap-shanghai';
export const templateId = 'lt-b8v1kcyq';

export interface World {
  readonly emulator: RunningEmulator;
  readonly relay: ScrapeRelay;
  readonly receiver: WebhookReceiver;
  readonly prometheus: PrometheusApi;
  readonly daemon: DaemonProcess;
  /** Starts the daemon again, with its stored records. */
  readonly restartDaemon: () => Promise<void>;
}

/** Starts everything. Every target was polled once before the first scrape. */
export async function startWorld(): Promise<World> {
  const emulator = await startService();
  const config = configFor(emulator.url);
  const daemon = await startDaemon({ config });
  await daemon.ready();
  const relay = await startScrapeRelay(await daemon.serving());
  const receiver = await startWebhookReceiver();
  const alertmanager = await startAlertmanager(await alertmanagerConfig(receiver.address));
  const prometheus = new PrometheusApi(
    await startPrometheus(await prometheusConfig({ daemon: relay.address, alertmanager })),
  );
  const restartDaemon = async () => {
    const restarted = await startDaemon({ config, directory: daemon.directory });
    relay.daemonUrl = await restarted.serving();
  };
  return { emulator, relay, receiver, prometheus, daemon, restartDaemon };
}

async function startService(): Promise<RunningEmulator> {
  const emulator = await startEmulator({
    scenario: {
      machine: { role: 'monitor' },
      accounts: [
        {
          name: account,
          roles: [{ name: 'monitor' }],
          regions: [
            {
              name: region,
              zones: [zone, otherZone].map((name) => ({
                name,
                postpaid: { used: 10, limit: 100 },
                prepaid: { used: 10, limit: 100, once_limit: 300 },
                spotpaid: { used: 10, limit: 100 },
              })),
              image: { used: 1, limit: 10 },
              disaster_recover_group: { used: 1, limit: 10 },
              launch_templates: [{ id: templateId, default_version: 1, versions: [1, 2] }],
            },
            { name: otherRegion, image: { used: 1, limit: 10 } },
          ],
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  return emulator;
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
        regions: [{ name: region, launch_templates: [templateId] }, otherRegion],
      },
    ],
  };
}

/** Changes something of every kind, so that each query of the dashboard has an answer. */
export function changeEverything(emulator: RunningEmulator): void {
  emulator.do({ do: 'set-used', region, zone, quota_type: 'postpaid', used: 20 });
  emulator.do({ do: 'set-limit', region, zone, quota_type: 'spotpaid', limit: 50 });
  emulator.do({
    do: 'create-version',
    region,
    template_id: templateId,
    omit: ['LaunchTemplateVersion'],
  });
  emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 2 });
  emulator.faults.add({ effect: 'error', code: 'InternalError', region: otherRegion });
}

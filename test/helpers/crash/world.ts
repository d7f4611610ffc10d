/** The environment of the crash tests: a few regions with quotas and templates, and a configuration. */
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../daemon-process.ts';

const account = 'production';
export const regions = ['ap-guangzhou', 'ap-shanghai', 'eu-frankfurt'] as const;
/** The region in which discovery finds the templates. */
export const discoveredRegion = 'eu-frankfurt';
/** The templates of each region, by the way in which their default version changes. */
export const templateIds = { steady: 'lt-steady01', flipping: 'lt-flippin1' } as const;

export function zonesOf(region: string): readonly string[] {
  return [`${region}-1`, `${region}-2`];
}

const quota = { used: 3, limit: 100 };

/** Answers have a small delay, and a few are errors. A kill then meets polls in every stage. */
export const scenario: ScenarioInput = {
  requests_per_second: 1_000,
  accounts: [
    {
      name: account,
      regions: regions.map((name) => ({
        name,
        zones: zonesOf(name).map((zone) => ({ name: zone, postpaid: quota, spotpaid: quota })),
        image: quota,
        launch_templates: Object.values(templateIds).map((id) => ({
          id,
          default_version: 1,
          versions: [1, 2, 3, 4],
        })),
      })),
    },
  ],
  faults: [
    { effect: 'latency', latency: { min: '0s', max: '40ms' } },
    { effect: 'error', code: 'InternalError', probability: 0.03 },
  ],
};

export function configFor(endpoint: string): ConfigInput {
  return {
    poll: { schedule: '* * * * * *', stale_after: '1h' },
    api: { endpoint, requests_per_second: 20, max_attempts: 1 },
    accounts: [
      {
        name: account,
        credentials: { type: 'none' },
        regions: regions.map((name) => ({
          name,
          launch_templates: name === discoveredRegion ? 'all' : Object.values(templateIds),
        })),
      },
    ],
  };
}

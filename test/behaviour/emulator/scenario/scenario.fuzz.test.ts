import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEmulator, createManualClock } from '../../../../src/emulator/emulator.ts';
import { ask, quotaQuery } from '../../../support/ask.ts';
import { temporaryDirectory } from '../../../support/directories.ts';
import { fuzz, fuzzTimeoutMs } from '../../../support/fuzz.ts';
import { expectInvalidFile, hostileYaml } from '../../../support/hostile-yaml.ts';

it(
  'a scenario of any text is played, or is refused with a place for every mistake',
  async () => {
    const file = join(await temporaryDirectory(), 'scenario.yaml');
    const samples = [
      [
        'accounts:',
        '  - name: a',
        '    regions:',
        '      - name: ap-guangzhou',
        '        zones: [{ name: ap-guangzhou-3, postpaid: { used: 1, limit: 2 } }]',
        '        launch_templates: [{ id: lt-b8v1kcyq, default_version: 1, versions: [1, { version: 2 }] }]',
        'timeline:',
        '  - { at: 1s, do: set-limit, region: ap-guangzhou, zone: ap-guangzhou-3, quota_type: postpaid, limit: 3 }',
        '  - { at: 2s, do: set-default-version, region: ap-guangzhou, template_id: lt-b8v1kcyq, version: 2 }',
        'timeline_repeats_every: 10s',
      ].join('\n'),
      [
        'requests_per_second: 5',
        'behaviour: { unselected_quota_sets: empty }',
        'accounts: [{ name: a, keys: [{ secret_id: i, secret_key: k, token: t }] }]',
        'faults: [{ effect: error, code: InternalError, probability: 0.5 }, { effect: latency, latency: 1s }]',
      ].join('\n'),
    ];
    await fuzz(hostileYaml(samples), 4_000, async (text) => {
      await writeFile(file, text);
      try {
        const emulator = await createEmulator({ scenario: file, clock: createManualClock() });
        expect(ask(emulator, quotaQuery).status).toBeGreaterThanOrEqual(200);
      } catch (error) {
        expectInvalidFile(error, text);
      }
    });
  },
  fuzzTimeoutMs,
);

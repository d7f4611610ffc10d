import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { planTargets } from '../../../src/collectors/plan.ts';
import { fuzz, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { expectInvalidFile, hostileYaml } from '../../support/hostile-yaml.ts';

it(
  'a configuration of any text is taken, and can be planned, or is refused with a place for every mistake',
  async () => {
    const samples = [
      readFileSync(new URL('../../../config/example.yaml', import.meta.url), 'utf8'),
      // Short, so that a mutation is likely to hit something that matters.
      'accounts:\n  - name: production\n    regions: [ap-guangzhou]\n',
      [
        'api: { timeout: 1s, endpoint: "http://127.0.0.1:1" }',
        'accounts:',
        '  - name: a',
        '    credentials: { type: files, secret_id_file: /a, secret_key_file: /b }',
        '    regions: [{ name: ap-guangzhou, zones: [ap-guangzhou-3], launch_templates: [lt-b8v1kcyq] }]',
      ].join('\n'),
    ];
    await fuzz(hostileYaml(samples), 4_000, (text) => {
      try {
        const config = parseConfig(text, 'f', collectors);
        expect(planTargets(config, collectors).length).toBeGreaterThan(0);
      } catch (error) {
        expectInvalidFile(error, text);
      }
    });
  },
  fuzzTimeoutMs,
);

import { collectors } from '../../../src/collectors/collectors.ts';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { estimateCycle } from '../../../src/config/cycle-estimate.ts';
import { planTargets } from '../../../src/config/targets.ts';

const config = parseConfig(
  `
poll: { schedule: "*/2 * * * * *" }
api: { requests_per_second: 2 }
accounts:
  - name: a
    quota_types: [image, postpaid]
    regions:
      - ap-shanghai
      - name: ap-guangzhou
        zones: [ap-guangzhou-3]
        launch_templates: [lt-1, lt-2, lt-3, lt-4, lt-5]
  - name: b
    regions: [ap-shanghai]
`,
  'f',
  collectors,
);

test('the estimate of a cycle is ruled by the account and operation with the most requests', () => {
  expect(estimateCycle(config, planTargets(config, collectors), 0)).toEqual({
    requests: 8,
    seconds: 2.5,
    shortestIntervalSeconds: 2,
    fits: false,
  });
});

test('the estimate of a cycle counts jitter', () => {
  const text = 'poll: { jitter: 300s }\naccounts: [{ name: a, regions: [ap-x] }]';

  const jittered = parseConfig(text, 'f', collectors);

  expect(estimateCycle(jittered, planTargets(jittered, collectors), 0).fits).toBe(false);
});

const accounts = (...credentials: string[]) =>
  parseConfig(
    `api: { requests_per_second: 1 }\naccounts:\n${credentials
      .map((each, i) => `  - { name: a${i}, regions: [ap-x], credentials: ${each} }\n`)
      .join('')}`,
    'f',
    collectors,
  );

test.each([
  ['{ type: environment }', '{ type: environment, secret_id_env: TENCENTCLOUD_SECRET_ID }'],
  ['{ type: environment, secret_id_env: A }', '{ type: environment, secret_id_env: A }'],
  [
    '{ type: files, secret_id_file: /a, secret_key_file: /b }',
    '{ type: files, secret_id_file: /a, secret_key_file: /c }',
  ],
])('accounts with the same SecretId are found, and share a rate limit: %s', (one, other) => {
  const config = accounts(one, '{ type: environment, secret_id_env: OTHER }', other);

  expect(estimateCycle(config, planTargets(config, collectors), 0).seconds).toBe(2);
});

test('accounts with the same SecretId are none where requests are not signed', () => {
  const config = accounts('{ type: none }', '{ type: none }');

  expect(estimateCycle(config, planTargets(config, collectors), 0).seconds).toBe(1);
});

import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { estimateCycle } from '../../../src/commands/check-config.ts';
import { planTargets } from '../../../src/collectors/plan.ts';

function estimate(text: string) {
  const config = parseConfig(text, 'f', collectors);
  return estimateCycle(config, planTargets(config, collectors), 0);
}

test('the estimate of a cycle is ruled by the account and operation with the most requests', () => {
  const text = `
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
  `;

  expect(estimate(text)).toEqual({
    requests: 8,
    seconds: 2.5,
    shortestIntervalSeconds: 2,
    fits: false,
  });
});

test('the estimate of a cycle counts jitter', () => {
  const text = 'poll: { jitter: 300s }\naccounts: [{ name: a, regions: [ap-x] }]';

  expect(estimate(text).fits).toBe(false);
});

test.each([
  ['{ type: environment }', '{ type: environment, secret_id_env: TENCENTCLOUD_SECRET_ID }', 2],
  ['{ type: environment, secret_id_env: A }', '{ type: environment, secret_id_env: A }', 2],
  [
    '{ type: files, secret_id_file: /a, secret_key_file: /b }',
    '{ type: files, secret_id_file: /a, secret_key_file: /c }',
    2,
  ],
  ['{ type: none }', '{ type: none }', 1],
])(
  'accounts with the same SecretId share a rate limit, and those that sign nothing do not: %s and %s',
  (one, other, seconds) => {
    const text = `
      api: { requests_per_second: 1 }
      accounts:
        - { name: a, regions: [ap-x], credentials: ${one} }
        - { name: b, regions: [ap-x], credentials: { type: environment, secret_id_env: OTHER } }
        - { name: c, regions: [ap-x], credentials: ${other} }
    `;

    expect(estimate(text).seconds).toBe(seconds);
  },
);

/** The result of increase() of Prometheus for a scraped counter. It runs promtool. */
import { execFileSync } from 'node:child_process';
import { temporaryFile } from '../directories.ts';

/**
 * Replays scrapes of one counter, one per minute, and checks `increase()` over all of them.
 *
 * @param scrapes the value of the counter in each scrape, `undefined` where it was absent; the first and the
 *   last have a value, so that Prometheus does not extrapolate
 * @throws with the output of promtool
 */
export async function checkIncrease(
  scrapes: readonly (number | undefined)[],
  expected: number,
): Promise<void> {
  const minutes = scrapes.length - 1;
  const test = {
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: 'counter_total', values: scrapes.map((value) => value ?? '_').join(' ') },
        ],
        promql_expr_test: [
          {
            expr: `increase(counter_total[${minutes}m])`,
            eval_time: `${minutes}m`,
            exp_samples: [{ labels: '{}', value: expected }],
          },
        ],
      },
    ],
  };
  const file = await temporaryFile('increase.test.yaml', JSON.stringify(test));
  execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' });
}

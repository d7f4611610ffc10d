/** What a daemon exposes, read by promtool, and fed to the shipped rules. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFile } from '../../support/directories.ts';
import { setLimit, setUsed } from '../../support/emulator.ts';
import { configOf, run, startWatched } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { runProgram } from '../../support/run-program.ts';

/** The series of an exposition, as a scrape of this instance stores them. */
function seriesOf(exposition: string): { series: string; value: string }[] {
  return exposition
    .split('\n')
    .filter((line) => line.startsWith('cvm_'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const scraped = 'job="cvm-quota-monitor",instance="monitor:10042"';
      const all = [labels, scraped].filter((text) => text !== '').join(',');
      // The time of promtool begins at 0, and what is new comes 10 minutes later.
      const isTime = name.endsWith('_timestamp_seconds');
      const seconds = Number(value) - Date.now() / 1_000 + 600;
      return { series: `${name}{${all}}`, value: isTime ? seconds.toFixed() : value };
    });
}

const testPromtool = test.runIf(hasProgram('promtool', 'prometheus'));

testPromtool(
  'promtool finds nothing wrong with /metrics and with check --output=prometheus',
  async () => {
    const account = { labels: { team: String.raw`the "payments" \ one` } };
    const { emulator, daemon } = await startWatched({ account });
    const config = configOf(emulator, { account });
    const { stdout } = await run('check', { config, flags: ['--output=prometheus'] });

    for (const input of [await daemon.text('/metrics'), stdout]) {
      const complaints = execFileSync('promtool', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect(complaints).toBe('');
    }
  },
);

testPromtool(
  'The shipped alerts fire for exhausted, low and lowered quotas, and for no muted or fine one',
  async () => {
    const { emulator, daemon } = await startWatched({
      thresholds: { overrides: [{ quota_types: ['prepaid'], muted: true }] },
    });
    const before = seriesOf(await daemon.text('/metrics'));
    emulator.do(setUsed('postpaid', 200));
    emulator.do(setUsed('prepaid', 100));
    emulator.do(setUsed('image', 9));
    emulator.do(setLimit('spotpaid', 230));
    await daemon.cycle();
    const after = seriesOf(await daemon.text('/metrics'));

    const first = new Map(before.map(({ series, value }) => [series, value]));
    const test = {
      interval: '30s',
      input_series: after.map(({ series, value }) => ({
        series,
        // Ten minutes as before, then forty as after. What is new begins with what is new.
        values: `${first.get(series) ?? '_'}x19 ${value}x79`.replace('_x19', '_x20'),
      })),
      promql_expr_test: [
        {
          expr: 'group by (alertname, quota_type, severity) (ALERTS{alertstate="firing",quota_type!=""})',
          eval_time: '30m',
          exp_samples: [
            '{alertname="CvmQuotaExhausted",quota_type="postpaid",severity="critical"}',
            '{alertname="CvmQuotaLow",quota_type="postpaid",severity="critical"}',
            '{alertname="CvmQuotaLow",quota_type="image",severity="warning"}',
            '{alertname="CvmQuotaLimitLowered",quota_type="spotpaid",severity="warning"}',
          ].map((labels) => ({ labels, value: 1 })),
        },
      ],
    };
    const rules = fileURLToPath(new URL('../../../config/prometheus/rules.yaml', import.meta.url));
    const file = { rule_files: [rules], evaluation_interval: '30s', tests: [test] };
    // It fails when other alerts fire.
    await runProgram('promtool', [
      ...['test', 'rules'],
      await temporaryFile('test.yaml', JSON.stringify(file)),
    ]);
  },
);

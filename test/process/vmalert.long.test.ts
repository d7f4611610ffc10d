/**
 * Every shipped alert in vmalert of Debian, in hostile installations. `-dryRun` does not run templates: an alert whose
 * template fails is silent there.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import {
  everyAlert,
  hostileVariants,
  parseSeries,
  rulesPath,
  seriesName,
  type Series,
} from '../support/prometheus/rule-cases.ts';
import { startVictoriaMetrics, startVmalert } from '../support/prometheus/servers.ts';

const hasPrograms = ['victoria-metrics', 'vmalert'].every((program) =>
  hasProgram(program, 'victoria-metrics'),
);

/** How long it may take on a machine that has other work. */
const patience = { timeout: 110_000, interval: 500 };

/** Two hours of series up to now, and some minutes more for the time that the test takes. */
function samplesOf(series: Series, nowSeconds: number): string {
  const startSeconds = Math.floor(nowSeconds) - 120 * 60;
  const isTime = series.name.endsWith('_timestamp_seconds');
  return series.values
    .map((value, minute) => {
      if (value === '_' || value === 'stale') return '';
      const shown = Number(value) + (isTime ? startSeconds : 0);
      return `${seriesName(series)} ${shown} ${(startSeconds + minute * 60) * 1_000}\n`;
    })
    .join('');
}

it.runIf(hasPrograms).each(Object.entries(hostileVariants))(
  'vmalert sends every alert, and none of a muted quota, where there are %s',
  async (_, changed) => {
    const all = changed(everyAlert.flatMap(({ series }) => series.map(parseSeries)));
    const nowSeconds = Date.now() / 1_000;
    const samples = all.map((series) => samplesOf(series, nowSeconds)).join('');
    // Without what vmalert knows since 1.92 only, and without delays.
    const rules = (await readFile(rulesPath, 'utf8')).replace(
      /\b((keep_firing_)?for|interval): \d+m,?/g,
      '',
    );
    const file = await temporaryFile('rules.yaml', rules);

    const sent = await startVmalert(file, await startVictoriaMetrics(samples));

    const sentNames = () => new Set(sent.map(({ labels }) => labels.alertname));
    await expect.poll(sentNames, patience).toEqual(new Set(everyAlert.map(({ alert }) => alert)));
    const types = (alertname: string) =>
      new Set(
        sent
          .filter(({ labels }) => labels.alertname === alertname && labels.severity === 'critical')
          .map(({ labels }) => labels.quota_type),
      );
    expect(types('CvmQuotaExhausted')).toEqual(new Set(['overdrawn']));
    expect(types('CvmQuotaDisappeared')).toEqual(new Set(['spotpaid']));
    expect(sent.filter(({ labels }) => labels.quota_type === 'muted')).toEqual([]);
  },
);

it.runIf(hasPrograms)('vmalert writes the figures, names and links of texts', async () => {
  const quota = 'cluster="one",account="a",region="r",quota_type="image",unit="images"';
  const lines = [
    `cvm_quota_severity{${quota},severity="warning",reason="low"} 1x140`,
    `cvm_quota_remaining{${quota}} 1x140`,
    `cvm_quota_limit{${quota}} 100x140`,
    'cvm_monitor_links_info{cluster="one",status_page="http://page",runbooks="http://books"} 1x140',
  ];
  const nowSeconds = Date.now() / 1_000;
  const samples = lines.map((line) => samplesOf(parseSeries(line), nowSeconds)).join('');
  const rules = (await readFile(rulesPath, 'utf8')).replace(
    /\b((keep_firing_)?for|interval): \d+m,?/g,
    '',
  );
  const file = await temporaryFile('rules.yaml', rules);

  const sent = await startVmalert(file, await startVictoriaMetrics(samples));

  const low = () => sent.find(({ labels }) => labels.alertname === 'CvmQuotaLow');
  await expect.poll(low, patience).toMatchObject({
    labels: { account: 'a', cluster: 'one', severity: 'warning' },
    annotations: {
      summary: 'The image quota is low in r of account a (cluster one)',
      description: '1 of 100 images remain.',
      runbook_url: 'http://books/CvmQuotaLow.md',
      status_page: 'http://page/?account=a&region=r&quota_type=image',
    },
  });
});

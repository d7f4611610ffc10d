/** /metrics in each form that a scraper asks for. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { startService } from '../../support/service.ts';

async function watched() {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 2], default: 1 });
  const config = configOf(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: 'all' }],
    account: { labels: { team: String.raw`the "payments" \ one` } },
  });
  const daemon = await startDaemon({ config });
  region.setLimit('image', null, 12);
  await daemon.cycle({ operation: 'DescribeLaunchTemplates' });
  return { daemon, config };
}

const domainLines = (text: string) =>
  text.split('\n').filter((line) => /^cvm_(quota|launch|account)/.test(line));

test('Plain text is the default, OpenMetrics and gzip come when asked for', async () => {
  const { daemon } = await watched();

  const openMetrics = 'application/openmetrics-text; version=1.0.0';
  const url = `${await daemon.url()}/metrics`;
  /** The bytes as they are sent. */
  const scrape = async (headers: Readonly<Record<string, string>>) => {
    const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  };

  const plain = await scrape({});
  const open = await scrape({ Accept: openMetrics });
  const packed = await scrape({ 'Accept-Encoding': 'gzip' });

  expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(open.headers['content-type']).toContain(openMetrics);
  expect(open.body.toString()).toMatch(/\n# EOF\n$/);
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(domainLines(gunzipSync(packed.body).toString())).toEqual(
    domainLines(plain.body.toString()),
  );
  expect(domainLines(plain.body.toString()).length).toBeGreaterThan(40);
});

test('No series stands twice, every family has HELP and TYPE, and labels are escaped', async () => {
  const { daemon } = await watched();
  const text = await daemon.text('/metrics');

  const series = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/ \S+$/, ''));
  expect(series.toSorted()).toEqual([...new Set(series)].toSorted());
  for (const name of new Set(domainLines(text).map((line) => line.split('{')[0]!))) {
    expect(text).toContain(`# HELP ${name} `);
    expect(text).toContain(`# TYPE ${name} `);
  }
  expect(text).toContain(String.raw`team="the \"payments\" \\ one"`);
});

test.runIf(hasProgram('promtool', 'prometheus'))(
  'promtool finds nothing wrong with /metrics and with check --output=prometheus',
  async () => {
    const { daemon, config } = await watched();
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

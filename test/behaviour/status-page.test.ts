/** The status page over HTTP: what it says, what it narrows, and how seldom it is rendered. */
import { beforeEach, expect, test, vi } from 'vitest';
import { targetKey } from '../../src/model/target.ts';
import {
  connected,
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../support/fake-monitor.ts';

/** The rows of a section's table as text: one list of cells per row. */
function rowsOf(page: string, section: string): string[][] {
  const [markup = ''] = new RegExp(`<section id="${section}".*?</section>`, 's').exec(page) ?? [];
  const [body = ''] = /<tbody.*?<\/tbody>/s.exec(markup) ?? [];
  return [...body.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
}

function textOf(markup: string): string {
  return markup
    .replaceAll(/<wbr[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The lines at the top that tell of problems of the monitor itself. */
function alertsOf(page: string): string[] {
  return [...page.matchAll(/role="alert">(.*?)<\/p>/gs)].map(([, text = '']) => textOf(text));
}

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const tokyo = quotaTarget('staging', 'ap-tokyo');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const minuteMs = 60_000;

let monitor: FakeMonitor;

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, tokyo, web);
});

/** A second later, so that the page is rendered again. */
async function page(search = ''): Promise<string> {
  monitor.nowMs += 1_000;
  return monitor.text(`/${search}`);
}

function verdictOf(markup: string): string {
  const [, text = ''] = /<div class="verdict [a-z]+">(.*?)<\/div>/s.exec(markup) ?? [];
  return textOf(text);
}

function levelOf(markup: string): string | undefined {
  return /<div class="verdict ([a-z]+)">/.exec(markup)?.[1];
}

const cellsOf = (markup: string) =>
  [
    ...markup.matchAll(
      /<a\s+class="cell (\w+)"\s+href="([^"]*)".*?<span class="figure">(.*?)<\/span>/gs,
    ),
  ].map(([, word, href, text = '']) => [word, href?.replaceAll('&amp;', '&'), textOf(text)]);

function pollAll(): void {
  monitor.poll(
    guangzhou,
    quotas(
      quota({ used: 268, limit: 288 }),
      quota({ used: 10, limit: 100, zone: 'ap-guangzhou-4' }),
      quota({ type: 'image', used: 1, limit: 10, zone: null }),
    ),
  );
  monitor.poll(tokyo, quotas(quota({ used: 85, limit: 100, zone: 'ap-tokyo-1' })));
  monitor.poll(web, versions([1, 2], 2));
}

test('the verdict of the page says that nothing was polled yet, beside no figure', async () => {
  const markup = await page();

  expect(verdictOf(markup)).toBe('3 of 3 targets not polled yet');
  expect(levelOf(markup)).toBe('unknown');
  expect(cellsOf(markup).every(([word]) => word === 'unknown')).toBe(true);
});

test('the verdict of the page says what is critical and low, in the title, too', async () => {
  pollAll();

  const markup = await page();

  expect(verdictOf(markup)).toBe(
    '1 quota critical, 1 low postpaid in ap-guangzhou-3 of production: 20 of 288 instances left (6 %)',
  );
  expect(levelOf(markup)).toBe('critical');
  expect(markup).toContain('<title>1 quota critical, 1 low · cvm-quota-monitor</title>');
});

test('the verdict of the page says first since when quotas are stale, and no 0', async () => {
  pollAll();
  monitor.nowMs += 16 * minuteMs;

  const markup = await page();

  expect(verdictOf(markup)).toBe('5 quotas stale since 2026-02-03 14:05 UTC');
  expect(levelOf(markup)).toBe('unknown');
  expect(rowsOf(markup, 'quotas')[0]).toContain('as of 2026-02-03 14:05 UTC');
});

test('the page shows a record that was stored without the time of a success', async () => {
  pollAll();
  const record = monitor.published.get(targetKey(tokyo))!;
  const freshness = { ...record.observed.freshness, lastSuccessAtMs: null };
  monitor = new FakeMonitor(tokyo);
  monitor.published.publish({ ...record, observed: { ...record.observed, freshness } });

  const markup = await page();

  expect(verdictOf(markup)).toBe('1 quota stale');
  expect(rowsOf(markup, 'quotas')[0]).toContain('stale');
});

test('the verdict of the page says first what is critical, then what is not known, and a cause before its effect', async () => {
  pollAll();
  monitor.nowMs += 16 * minuteMs;
  monitor.poll(guangzhou, quotas(quota({ used: 280, limit: 288 })));
  monitor.poll(tokyo, { code: 'RequestLimitExceeded', message: 'too many' });

  expect(verdictOf(await page())).toBe(
    '1 quota critical postpaid in ap-guangzhou-3 of production: 8 of 288 instances left (2 %) 1 of 3 targets could not be polled RequestLimitExceeded of staging 1 of 3 targets answered incompletely 2 quotas stale since 2026-02-03 14:05 UTC',
  );
});

test('the verdict of the page says how much is left of what is fine, and what is muted', async () => {
  monitor = new FakeMonitor(tokyo);
  monitor.poll(tokyo, quotas(quota({ used: 60, limit: 100, zone: 'ap-tokyo-1' })));
  const fine = await page();
  monitor.thresholds = {
    ...monitor.thresholds,
    overrides: [
      {
        filter: { accounts: ['staging'] },
        thresholds: null,
        untilMs: Infinity,
      },
    ],
  };

  expect([verdictOf(fine), levelOf(fine)]).toEqual(['1 quota fine 40 % or more left', 'fine']);
  expect(verdictOf(await page())).toBe('1 quota muted');
});

test('a cell of the picture is as bad as its worst zone, and leads to its rows', async () => {
  pollAll();

  const [first, image, , other] = cellsOf(await page());

  expect(first).toEqual([
    'critical',
    './?account=production&region=ap-guangzhou&quota_type=postpaid#quotas',
    'pay-as-you-go instances, ap-guangzhou-3 (the worst of 2): 20 of 288 instances left (6 %), critical',
  ]);
  expect(image?.[0]).toBe('fine');
  expect(other?.[0]).toBe('low');
  expect(rowsOf(await page((first?.[1] ?? '').slice(2)), 'quotas')).toHaveLength(2);
});

test('each line of the verdict leads to the rows that it counts', async () => {
  monitor.poll(guangzhou, quotas(quota({ used: 280, limit: 288 })));
  monitor.poll(tokyo, { code: 'RequestLimitExceeded', message: 'too many' });
  const markup = await page();
  const lines = [...markup.matchAll(/<a href="#(\w+)">([^<]*)<\/a>\s*<small>/g)];

  expect(lines.map(([, table, text]) => [table, text])).toEqual([
    ['quotas', '1 quota critical'],
    ['problems', '1 of 3 targets could not be polled'],
  ]);
  expect(rowsOf(markup, 'quotas')).toHaveLength(1);
  expect(rowsOf(markup, 'problems')).toHaveLength(2);
});

test('the bar of a quota is as long as the share that remains', async () => {
  pollAll();
  const bars = [...(await page()).matchAll(/<progress value="([\d.]+)"/g)];

  expect(bars.map(([, value]) => Number(value).toFixed(2))).toEqual([
    '0.07',
    '0.15',
    '0.90',
    '0.90',
    '0.93',
  ]);
});

test('the columns of the picture keep their places, whatever is worst', async () => {
  const image = quota({ type: 'image', used: 10, limit: 10, zone: null });
  monitor.poll(guangzhou, quotas(quota({ used: 1, limit: 9 }), image));

  const columns = [...(await page()).matchAll(/<th scope="col"><span>(.*?)</g)];

  expect(columns.slice(0, 2).map(([, name]) => name)).toEqual([
    'pay-as-you-go instances',
    'custom images',
  ]);
});

test('a row of a quota has its plain name beside its metric name, and the worst row is first', async () => {
  pollAll();

  const [row] = rowsOf(await page(), 'quotas');

  expect(row).toEqual([
    'critical',
    'pay-as-you-go instances postpaid',
    'ap-guangzhou-3',
    'production',
    '6 %',
    '20 of 288',
    '268',
    '–',
  ]);
});

/** Polls at these minutes after 14:00, with other uses. */
function pollTrend(...uses: readonly (readonly [minute: number, used: number])[]) {
  for (const [minute, used] of uses) {
    monitor.nowMs = Date.UTC(2026, 1, 3, 14, minute);
    monitor.poll(tokyo, quotas(quota({ used, limit: 200, zone: 'ap-tokyo-1' })));
  }
  return page('?account=staging');
}

test('the trend covers the time for which use is known, with the figures of its scale', async () => {
  const markup = await pollTrend([12, 100], [27, 110], [42, 120], [57, 130]);

  expect(rowsOf(markup, 'quotas')[0]?.at(-1)).toBe('100–130 in 45 min');
  expect(markup).toContain('aria-label="Use in 45 min: from 100 to 130, lowest 100, highest 130"');
  expect(markup).toContain('viewBox="0 0 2700000 30"');
  expect(markup).toContain('<path d="M0 30L900000 20L1800000 10L2700000 0h0" />');
});

test('the trend has a gap for a step without a success, and none within two steps in a row', async () => {
  const markup = await pollTrend([1, 100], [29, 110], [46, 120]);

  expect(markup).toContain('<path d="M0 20L1680000 10M2700000 0h0" />');
});

test.each([
  ['', 5],
  ['?account=production', 4],
  ['?account=production&account=staging', 5],
  ['?region=ap-tokyo&account=', 1],
  ['?quota_type=postpaid&refresh=off', 3],
  ['?template_id=lt-b8v1kcyq', 1],
])('the page at /%s shows its quotas', async (search, count) => {
  pollAll();
  expect(rowsOf(await page(search), 'quotas')).toHaveLength(count);
});

test.each([
  ['?zone=ap-tokyo-1', 'unknown parameter zone'],
  ['?account=nobody', 'account must be one of production, staging'],
  ['?quota_type=%3Cscript%3E', 'quota_type must be one of postpaid, '],
])('the page at /%s is refused, and leads back to everything', async (search, message) => {
  pollAll();
  const response = await monitor.get(`/${search}`);

  expect(response.status).toBe(400);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const text = await response.text();
  expect(text).toContain(message);
  expect(verdictOf(text)).toBe('There is nothing at this address');
  expect(text).toContain('<a href="./">Show everything</a>');
});

test('the page of one template shows its row and its changes only', async () => {
  pollAll();
  monitor.nowMs += minuteMs;
  monitor.poll(web, versions([1, 2], 1));

  const markup = await page('?template_id=lt-b8v1kcyq');

  expect(rowsOf(markup, 'templates').map(([name]) => name)).toEqual(['lt-b8v1kcyq']);
  expect(rowsOf(markup, 'changes')).toHaveLength(1);
});

test('the worst 500 quotas are shown, and the others are counted', async () => {
  const zones = Array.from({ length: 896 }, (_, i) =>
    quota({ used: i, limit: 1_000, zone: `ap-guangzhou-${i}` }),
  );
  monitor.poll(guangzhou, quotas(...zones));

  const markup = await page();

  expect(rowsOf(markup, 'quotas')).toHaveLength(500);
  expect(rowsOf(markup, 'quotas')[0]).toContain('ap-guangzhou-895');
  expect(textOf(markup)).toContain('and 396 more: narrow it down');
});

test('a quota that disappeared while it was low stays for 7 days, in the verdict, too', async () => {
  monitor = new FakeMonitor(guangzhou);
  const rest = quota({ used: 1, limit: 100 });
  const full = quota({ type: 'spotpaid', used: 199, limit: 199 });
  monitor.poll(guangzhou, quotas(rest, full));
  for (let poll = 0; poll < 4; poll += 1) {
    monitor.nowMs += minuteMs;
    monitor.poll(guangzhou, quotas(rest));
  }

  const gone = await page();
  monitor.nowMs += 7 * 24 * 60 * minuteMs;
  monitor.poll(guangzhou, quotas(rest));

  expect(verdictOf(gone)).toBe('1 quota gone');
  expect(rowsOf(gone, 'quotas')[0]?.slice(0, 2)).toEqual(['gone', 'spot vCPUs spotpaid']);
  expect(verdictOf(await page())).toBe('1 quota fine 99 % or more left');
});

test('each mistake of a refused reload is listed', async () => {
  monitor.reloadProblem = 'a.yaml:1:2: poll: wrong\na.yaml:3:4: <accounts>: missing';

  const [alert] = alertsOf(await page());

  expect(alert).toContain('The configuration was not reloaded.');
  expect(alert).toContain('a.yaml:1:2: poll: wrong a.yaml:3:4: &lt;accounts&gt;: missing');
});

test('a problem says what to do, with the RequestId of the service', async () => {
  const requestId = '8b8e3c2a-5f6d-4d57-9f6e-0d3f5b1c7a42';
  monitor.poll(tokyo, { code: 'AuthFailure.SecretIdNotFound', message: 'not found', requestId });

  const row = rowsOf(await page(), 'problems').find((cells) => cells.includes('staging'));

  expect(row?.[4]).toContain('AuthFailure.SecretIdNotFound since 2026-02-03 14:05 UTC not found');
  expect(row?.[4]).toContain('use another key');
  expect(row?.[4]).toContain(requestId);
});

test.each(['/', '/api/v1/quotas', '/api/v1/launches', '/api/v1/targets', '/api/v1/changes'])(
  'a hundred requests for %s at once are one rendering for each encoding, in whatever order the parameters are',
  async (path) => {
    pollAll();
    const read = vi.spyOn(monitor.published, 'all');
    const queries = ['?account=staging&region=ap-tokyo', '?region=ap-tokyo&account=staging'];
    const bodyOf = async (query: string, encoding: string) => {
      const headers = { 'accept-encoding': encoding };
      return (await monitor.app(path, query, { method: 'GET', headers, socket: connected })).body;
    };

    const bodies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => bodyOf(queries[i % 2]!, i < 50 ? 'gzip' : '')),
    );
    await monitor.text(`${path}?account=staging`);

    expect(new Set(bodies).size).toBe(2);
    expect(read).toHaveBeenCalledTimes(3);
  },
);

test('a scrape is answered before the pages and lists of many addresses that wait', async () => {
  const targets = Array.from({ length: 300 }, (_, i) => quotaTarget('production', `ap-r-${i}`));
  monitor = new FakeMonitor(...targets);
  for (const target of targets) {
    const zones = ['a', 'b', 'c', 'd'].map((zone) => quota({ used: 1, limit: 9, zone }));
    monitor.poll(target, quotas(...zones));
  }
  const order: string[] = [];
  const paths = ['/', '/api/v1/quotas', '/api/v1/targets'];
  const pages = targets.slice(0, 60).map(async ({ region }, i) => {
    await monitor.text(`${paths[i % paths.length]}?region=${region}`);
    order.push('page');
  });

  await monitor.metrics();
  order.push('scrape');
  await Promise.all(pages);

  expect(order[0]).toBe('scrape');
});

test('page, lists and metrics count the same targets as up, those whose answer lacked something included', async () => {
  monitor.poll(guangzhou, { ...quotas(quota({ used: 1, limit: 9 })), missing: ['row 3: no zone'] });
  monitor.poll(web, versions([1], 1));

  const { targets } = (await monitor.json('/api/v1/targets?up=true')).body as { targets: object[] };
  const up = (await monitor.metrics()).match(/^cvm_monitor_target_up\{.*\} 1$/gm);

  expect([targets.length, up?.length]).toEqual([2, 2]);
  expect(await page()).toMatch(/2 of 3 up/);
});

/** What a scrape shows, and how seldom it is rendered. */
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { QuotaSnapshot } from '../../src/collectors/quota/answer.ts';
import { quotaCollector, type QuotaRecord } from '../../src/collectors/quota/quota.ts';
import { RenderQueue } from '../../src/expose/answers.ts';
import { createScrapeHandler, type ScrapeOptions } from '../../src/expose/metrics/exposition.ts';
import { freshnessFamilies } from '../../src/expose/metrics/record-families.ts';
import { createProcessMetrics } from '../../src/expose/metrics/monitor-metrics.ts';
import { createEvaluator } from '../../src/expose/evaluation.ts';
import { parseExposition, seriesOf } from '../support/exposition.ts';
import {
  connected,
  FakeMonitor,
  notMeasured,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../support/fake-monitor.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const gzip = { 'accept-encoding': 'gzip' };
const timeout = { code: 'Timeout', message: 'no answer within 10 s' };

let monitor: FakeMonitor;

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, web);
});

const pollQuota = (used = 2, limit = 10) => {
  monitor.poll(guangzhou, quotas(quota({ used, limit })));
};

/** An exposition of its own, where a test needs other options than those of the monitor. */
const expositionOf = (options: Partial<ScrapeOptions>) => {
  const scrape = createScrapeHandler({
    evaluator: createEvaluator(monitor.view),
    processMetrics: notMeasured,
    queue: new RenderQueue(0),
    ...options,
  });
  return (headers: IncomingHttpHeaders = {}) => scrape({ headers, socket: connected });
};

const scrape = async () => parseExposition(await monitor.metrics());
/** The values of a family. */
const shown = async (name: string) => Object.values(seriesOf(await scrape(), name));

test('a series without an account has no labels of one, whatever its name is', async () => {
  monitor.accounts = [{ name: 'undefined', labels: { team: 'payments' } }];

  const [series] = Object.keys(seriesOf(await scrape(), 'cvm_monitor_build_info'));

  expect(series).not.toContain('team');
});

test('an account has its labels before any answer; another account has others, or none', async () => {
  monitor.accounts = [
    { name: 'new', labels: { team: 'payments' } },
    { name: 'old', labels: { squad: 'web', tier: '1' } },
    { name: 'plain', labels: {} },
  ];

  expect(seriesOf(await scrape(), 'cvm_monitor_account_info')).toEqual({
    '{account="new",team="payments"}': 1,
    '{account="old",squad="web",tier="1"}': 1,
    '{account="plain"}': 1,
  });
});

test('before the first poll, gauges and counters of changes are absent, polls are 0, and the target is not up', async () => {
  const text = await scrape();

  const counters = [...text.types].filter(([, type]) => type === 'counter');
  const ofChanges = counters.filter(([name]) => !name.startsWith('cvm_monitor_'));
  expect(ofChanges.flatMap(([name]) => Object.keys(seriesOf(text, name)))).toEqual([]);
  expect(Object.values(seriesOf(text, 'cvm_monitor_polls_total'))).toEqual([0, 0]);
  expect(seriesOf(text, 'cvm_quota_used')).toEqual({});
  expect(Object.values(seriesOf(text, 'cvm_monitor_target_up'))).toEqual([0, 0]);
  expect(seriesOf(text, 'cvm_monitor_target_last_poll_timestamp_seconds')).toEqual({});
});

const changes = 'cvm_launch_template_default_version_changes_total';

test('a target with nothing to ask has no series of its own, before its first poll either', async () => {
  const place = { account: 'production', region: 'ap-guangzhou', operation: 'DescribeSubnets' };
  const empty = { ...place, ids: [] };
  monitor = new FakeMonitor(guangzhou, empty);

  const body = await monitor.metrics();

  expect(body).toContain('operation="DescribeAccountQuota"');
  expect(body).not.toContain('DescribeSubnets"');
});

test('counters of changes appear with the end of the first poll', async () => {
  const early = await shown(changes);

  monitor.poll(web, timeout);

  expect([early, await shown(changes)]).toEqual([[], [0]]);
});

test('counters of changes are absent while they may be lower than those of another daemon', async () => {
  monitor.poll(web, versions([1, 2], 1));
  monitor.published.areCountersHidden = true;
  const hidden = await shown(changes);
  monitor.published.areCountersHidden = false;

  expect([hidden, await shown(changes)]).toEqual([[], [0]]);
});

test('quotas say when their limits last changed, by direction, also once they are stale', async () => {
  const name = 'cvm_quota_limit_change_timestamp_seconds';
  pollQuota(2, 10);
  const before = await shown(name);
  monitor.nowMs += 1_000;
  const loweredMs = monitor.nowMs;
  pollQuota(2, 5);
  monitor.nowMs += monitor.staleAfterMs;

  expect(before).toEqual([]);
  const [[series, value] = []] = Object.entries(seriesOf(await scrape(), name));
  expect([series, value]).toEqual([
    expect.stringContaining('direction="lowered",quota_type="postpaid"'),
    loweredMs / 1_000,
  ]);
});

/** The severities of all quotas, such as `critical low`. */
const severities = async () =>
  Object.keys(seriesOf(await scrape(), 'cvm_quota_severity')).map((series) =>
    series.replace(/.*reason="(\w+)".*severity="(\w+)".*/, '$2 $1'),
  );
const muteAll = (untilMs = Infinity) => {
  monitor.thresholds = {
    ...monitor.thresholds,
    overrides: [{ filter: {}, thresholds: null, untilMs }],
  };
};
const rest = quota({ used: 0, limit: 100, zone: 'ap-guangzhou-4' });
/** An answer with a fine quota, and without the one of {@link pollQuota}. */
const pollRest = (unreadable: QuotaSnapshot['unreadable'] = []) => {
  monitor.nowMs += 60_000;
  monitor.poll(guangzhou, { ...quotas(rest), unreadable });
};
const unreadable = [{ type: 'postpaid', zone: 'ap-guangzhou-3', unit: 'instances' }];

test.each([
  [80, [], []],
  [81, ['warning low'], []],
  [91, ['critical low'], []],
  [100, ['critical exhausted'], []],
  [101, ['critical overdrawn'], ['critical overdrawn']],
])(
  'a quota of which %i of 100 are used has the severities %j, and %j while it is muted',
  async (used, expected, whileMuted) => {
    pollQuota(used, 100);
    const before = await severities();
    muteAll(monitor.nowMs + 1_000);
    const during = await severities();
    monitor.nowMs += 1_000;

    expect([before, during, await severities()]).toEqual([expected, whileMuted, expected]);
  },
);

test('a quota that an answer lacks keeps its severity until it has disappeared, and then for 7 days', async () => {
  pollQuota(95, 100);
  const shown: string[][] = [];
  for (let poll = 1; poll <= 5; poll += 1) {
    pollRest();
    shown.push(await severities());
  }
  const disappearedAtMs = monitor.nowMs - 60_000;
  monitor.nowMs = disappearedAtMs + 7 * 24 * 3_600_000 - 60_001;
  pollRest();
  // Also while the target is stale: nothing says that the quota is back.
  monitor.staleAfterMs = 0;
  const lastMoment = await severities();
  pollRest();

  const low = ['critical low'];
  const disappeared = ['critical disappeared'];
  expect(shown).toEqual([low, low, low, disappeared, disappeared]);
  expect([lastMoment, await severities()]).toEqual([disappeared, []]);
});

test.each<[string, () => void]>([
  [
    'it returns',
    () => {
      pollQuota(1, 100);
    },
  ],
  [
    'it is muted, although it was overdrawn',
    () => {
      muteAll();
    },
  ],
  [
    'its zone is no longer selected',
    () => {
      const selection = { ...guangzhou.selection, zones: ['ap-guangzhou-4'] };
      const narrowed: QuotaRecord['target'] = { ...guangzhou, selection };
      monitor.published.setTargets([narrowed], () => quotaCollector);
    },
  ],
])('a quota that disappeared has no severity any more when %s', async (_when, end) => {
  pollQuota(101, 100);
  for (let poll = 1; poll <= 4; poll += 1) pollRest();
  const before = await severities();

  end();

  expect([before, await severities()]).toEqual([['critical disappeared'], []]);
});

test('a quota that cannot be read keeps its severity until it is known, or its target is stale', async () => {
  pollQuota(100, 100);
  for (let poll = 1; poll <= 6; poll += 1) pollRest(unreadable);
  const kept = await severities();
  muteAll();
  const whileMuted = await severities();
  monitor.thresholds = { ...monitor.thresholds, overrides: [] };
  monitor.nowMs += monitor.staleAfterMs;
  const stale = await severities();
  pollRest(unreadable);
  const fresh = await severities();
  const noUse = { ...quota({ used: 1, limit: 100 }), used: null, remaining: null };
  monitor.poll(guangzhou, quotas(noUse));
  const withoutUse = await severities();
  pollQuota(81, 100);

  expect([kept, whileMuted, stale]).toEqual([['critical exhausted'], [], []]);
  expect([fresh, withoutUse]).toEqual([['critical exhausted'], ['critical exhausted']]);
  expect(await severities()).toEqual(['warning low']);
});

test('a quota of another account keeps no severity', async () => {
  pollQuota(100, 100);
  const before = await severities();

  monitor.poll(guangzhou, { ...quotas(rest), unreadable, appId: 1 });

  expect([before, await severities()]).toEqual([['critical exhausted'], []]);
});

test('links of alerts lead to the page of the external URL and to the runbooks', async () => {
  monitor.links = { grafana: null, runbooks: 'https://wiki.example.com/runbooks/' };

  expect(seriesOf(await scrape(), 'cvm_monitor_links_info')).toEqual({
    '{runbooks="https://wiki.example.com/runbooks",status_page="https://ops.example.com/quota"}': 1,
  });
});

test('a gauge whose target fails stays until stale_after, then it vanishes; counters and other targets stay', async () => {
  const shanghai = quotaTarget('production', 'ap-shanghai');
  monitor = new FakeMonitor(guangzhou, shanghai);
  pollQuota(2, 10);
  pollQuota(11, 12);
  const gauges = ['used', 'remaining', 'limit', 'remaining_threshold', 'severity'];
  const names = [...gauges, 'limit_changes_total'].map((name) => `cvm_quota_${name}`);
  const ofGuangzhou = async () => {
    const now = await scrape();
    const isShown = (name: string) =>
      Object.keys(seriesOf(now, name)).some((series) => series.includes('region="ap-guangzhou"'));
    return [...names, 'cvm_account_info'].filter(isShown);
  };

  monitor.nowMs += monitor.staleAfterMs - 1;
  monitor.poll(guangzhou, timeout);
  monitor.poll(shanghai, quotas(quota({ used: 1, limit: 7 })));
  expect(await ofGuangzhou()).toHaveLength(7);

  monitor.nowMs += 1;
  expect(await ofGuangzhou()).toEqual(['cvm_quota_limit_changes_total']);
  expect(await shown('cvm_quota_limit')).toEqual([7]);
});

test('cvm_monitor_target_incomplete is absent before the first answer, and once the last one is stale', async () => {
  const name = 'cvm_monitor_target_incomplete';
  const before = await shown(name);
  monitor.poll(guangzhou, { ...quotas(), missing: ['no quota in the answer'] });
  const during = await shown(name);
  monitor.nowMs += monitor.staleAfterMs + 1;

  expect([before, during, await shown(name)]).toEqual([[], [1], []]);
});

test('a body is rendered at most once a second, and is then up to date', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const scraped = expositionOf({ queue: new RenderQueue() });
  const body = async () => String((await scraped()).body);
  pollQuota(2);
  const first = await body();
  pollQuota(3);
  vi.advanceTimersByTime(999);
  const second = await body();
  vi.advanceTimersByTime(1);

  expect(second).toBe(first);
  expect(Object.values(seriesOf(parseExposition(await body()), 'cvm_quota_used'))).toEqual([3]);
});

test('a body renders only records that were replaced or became stale, and others when settings change', async () => {
  const samples = vi.spyOn(freshnessFamilies[0]!, 'samples');
  onTestFinished(() => {
    samples.mockRestore();
  });
  const renderedAfter = async (change: () => void) => {
    change();
    samples.mockClear();
    await scrape();
    return samples.mock.calls.map(([{ record }]) => record.target.operation);
  };
  const { nowMs: startMs, staleAfterMs, thresholds } = monitor;
  const untilMs = startMs + 2_000;
  const muted = { filter: {}, thresholds: null, untilMs };
  const overrides = [muted];
  monitor.poll(web, versions([1], 1));

  expect(await renderedAfter(() => undefined)).toEqual([
    'DescribeAccountQuota',
    'DescribeLaunchTemplateVersions',
  ]);
  expect(await renderedAfter(() => undefined)).toEqual([]);
  expect(await renderedAfter(pollQuota)).toEqual(['DescribeAccountQuota']);
  const set = (change: Partial<FakeMonitor>) => renderedAfter(() => Object.assign(monitor, change));
  expect(await set({ thresholds: { ...thresholds, overrides } })).toHaveLength(2);
  expect(await set({ nowMs: untilMs - 1 })).toEqual([]);
  expect(await set({ nowMs: untilMs })).toHaveLength(2);
  expect(await set({ accounts: [{ name: 'production', labels: { team: 'b' } }] })).toHaveLength(2);
  expect(Object.keys(seriesOf(await scrape(), 'cvm_account_info'))).toEqual([
    '{account="production",app_id="251007416",region="ap-guangzhou",team="b"}',
  ]);
  expect(await set({ nowMs: startMs + staleAfterMs })).toHaveLength(2);
});

test('a body is made again after a failure', async () => {
  const processMetrics = { text: vi.fn(notMeasured.text) };
  processMetrics.text.mockRejectedValueOnce(new Error('a fault of ours'));
  const scraped = expositionOf({ processMetrics });

  await expect(scraped(gzip)).rejects.toThrow('a fault of ours');
  expect((await scraped(gzip)).body.length).toBeGreaterThan(0);
});

test('a body of OpenMetrics names counters without _total in their TYPE line, has no empty line, and ends with EOF', async () => {
  pollQuota(2);
  const processMetrics = createProcessMetrics();

  const accept = 'application/openmetrics-text';
  const text = String((await expositionOf({ processMetrics })({ accept })).body);

  const { types } = parseExposition(text);
  for (const counter of ['cvm_quota_limit_changes', 'process_cpu_seconds']) {
    expect([counter, types.get(counter)]).toEqual([counter, 'counter']);
  }
  expect(text).not.toContain('\n\n');
  expect(text).toMatch(/\n# EOF\n$/);
});

test('a body of many series is made in many turns of the event loop', async () => {
  const targets = Array.from({ length: 300 }, (_, i) => quotaTarget('production', `ap-${i}`));
  const rows = Array.from({ length: 20 }, (_, i) => quota({ used: 2, limit: 10, zone: `z-${i}` }));
  monitor = new FakeMonitor(...targets);
  for (const target of targets) monitor.poll(target, quotas(...rows));
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });

  const { body } = await expositionOf({})(gzip);
  clearImmediate(next);

  expect(gunzipSync(body).length).toBeGreaterThan(5_000_000);
  expect(turns).toBeGreaterThan(10);
});

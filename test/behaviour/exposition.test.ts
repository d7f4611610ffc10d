import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import { quotaSets } from '../../src/collectors/quota/selection.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Exposition, type ExpositionOptions } from '../../src/expose/metrics/exposition.ts';
import { MonitorMetrics } from '../../src/expose/metrics/monitor-metrics.ts';
import { freshnessFamilies } from '../../src/expose/metrics/freshness-families.ts';
import { watcher } from '../../src/expose/watched.ts';
import type { LabelledAccount } from '../../src/model/labelled-account.ts';
import { advance, defaultThresholds, quotaSnapshot, templateSnapshot } from '../support/records.ts';
import { noClients } from '../support/exposed-metrics.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import type { AccountQuota as Quota } from '../../src/collectors/quota/answer.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { everyQuota, type Thresholds } from '../../src/model/thresholds.ts';
import { targetKey, type Target } from '../../src/model/target.ts';
import { parseExposition, seriesOf } from '../support/exposition.ts';
import {
  FakeMonitor,
  noMetrics,
  quotaTarget as quotaTargetOf,
  templateTarget as templateTargetOf,
} from '../support/fake-monitor.ts';
import { hasProgram } from '../support/programs.ts';

const staleAfterMs = 60_000;
interface Settings {
  readonly thresholds: Thresholds;
  readonly accounts: readonly LabelledAccount[];
}
const defaultSettings: Settings = { thresholds: defaultThresholds, accounts: [] };
const startMs = 1_700_000_000_000;

const quotaTarget = quotaTargetOf('production', 'ap-guangzhou');
const templateTarget = templateTargetOf('production', 'ap-guangzhou', 'lt-b8v1kcyq');

const quota = (fields: Partial<Quota>): Quota => ({
  type: 'postpaid',
  unit: quotaSets[fields.type ?? 'postpaid'].unit,
  zone: 'ap-guangzhou-3',
  used: 2,
  remaining: 8,
  limit: 10,
  onceLimit: null,
  ...fields,
});
const quotas = (...rows: Quota[]): Snapshot =>
  quotaSnapshot({
    selection: quotaTarget.selection,
    quotas: rows,
    groupInstanceLimits: { host: 50, switch: 20, rack: 30 },
  });
const versions = (numbers: number[], defaultVersion: number): LaunchTemplateSnapshot =>
  templateSnapshot({
    versions: numbers,
    defaultVersion: {
      version: defaultVersion,
      imageId: 'img-1',
      instanceType: 'S5',
      chargeType: 'SPOTPAID',
    },
  });

let nowMs = startMs;
let settings: Settings = defaultSettings;
let published: PublishedRecords;
let exposition: Exposition;

beforeEach(() => {
  nowMs = startMs;
  settings = defaultSettings;
  published = new PublishedRecords();
  watch(quotaTarget, templateTarget);
  exposition = expositionOf();
});

function watch(...targets: readonly Target[]): void {
  published.watch(targets, (target) => collectors.of(target));
}

function expositionOf(options: Partial<ExpositionOptions> = {}): Exposition {
  const view = {
    ...new FakeMonitor().view,
    published,
    clock: { now: () => nowMs },
    staleAfterMs: () => staleAfterMs,
    thresholds: () => settings.thresholds,
    accounts: () => settings.accounts,
  };
  const watch = watcher(view);
  return new Exposition({ view, watch, metrics: noMetrics, minRenderMs: 0, ...options });
}

const success = (snapshot: Snapshot) => ({
  ok: true as const,
  snapshot,
  anomalies: [],
  durationMs: 250,
});

function poll(key: string, snapshot: Snapshot | { code: string }): void {
  const outcome =
    'code' in snapshot
      ? { ok: false as const, ...snapshot, message: '', requestId: null, durationMs: 1_500 }
      : success(snapshot);
  published.publish(advance(published.get(key)!, outcome, nowMs).record);
}
const pollQuotas = (snapshot: Snapshot | { code: string }) => {
  poll('production@ap-guangzhou@DescribeAccountQuota', snapshot);
};
const pollTemplate = (snapshot: Snapshot | { code: string }) => {
  poll('production@ap-guangzhou@DescribeLaunchTemplateVersions@lt-b8v1kcyq', snapshot);
};

/** How many turns the event loop takes while something is being made, and what it is. */
async function turnsDuring<T>(make: () => Promise<T>): Promise<{ turns: number; made: T }> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  const made = await make();
  clearImmediate(next);
  return { turns, made };
}

const scrape = async () => parseExposition(String(await exposition.body('prometheus', 'identity')));

const place = 'account="production"';
const zone3 = `{${place},quota_type="postpaid",region="ap-guangzhou",unit="instances",zone="ap-guangzhou-3"}`;

test('an account has its labels before any answer', async () => {
  settings = { ...settings, accounts: [{ name: 'new', labels: { team: 'payments' } }] };

  expect(seriesOf(await scrape(), 'cvm_monitor_account_info')).toEqual({
    '{account="new",team="payments"}': 1,
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
const labels = `{${place},region="ap-guangzhou",template_id="lt-b8v1kcyq"}`;

test('counters of changes appear with the end of the first poll', async () => {
  const early = await scrape();

  pollTemplate({ code: 'Timeout' });

  expect(seriesOf(early, changes)).toEqual({});
  expect(seriesOf(await scrape(), changes)).toEqual({ [labels]: 0 });
});

test('counters of changes are absent while they may be lower than those of another daemon', async () => {
  pollTemplate(versions([1, 2], 1));
  published.areCountersHidden = true;
  const hidden = await scrape();
  published.areCountersHidden = false;

  expect(seriesOf(hidden, changes)).toEqual({});
  expect(seriesOf(await scrape(), changes)).toEqual({ [labels]: 0 });
});

test('quotas are exposed with zone, type and unit; the zone is absent where there is none', async () => {
  pollQuotas(
    quotas(
      quota({}),
      quota({ type: 'prepaid', used: 1, remaining: 254, limit: 255, onceLimit: 300 }),
      quota({ type: 'spotpaid', used: 4, remaining: 195, limit: 199 }),
      quota({ type: 'image', zone: null, used: 3, remaining: 7 }),
      quota({ type: 'disaster_recover_group', zone: null, used: 0, remaining: 10 }),
    ),
  );

  const text = await scrape();

  expect(seriesOf(text, 'cvm_quota_used')).toEqual({
    [zone3]: 2,
    [zone3.replace('postpaid', 'prepaid')]: 1,
    [zone3.replace('postpaid', 'spotpaid').replace('instances', 'vcpus')]: 4,
    [`{${place},quota_type="image",region="ap-guangzhou",unit="images"}`]: 3,
    [`{${place},quota_type="disaster_recover_group",region="ap-guangzhou",unit="groups"}`]: 0,
  });
  expect(seriesOf(text, 'cvm_quota_remaining')).toMatchObject({ [zone3]: 8 });
  expect(seriesOf(text, 'cvm_quota_limit')).toMatchObject({ [zone3]: 10 });
  expect(seriesOf(text, 'cvm_quota_once_limit')).toEqual({
    [zone3.replace('postpaid', 'prepaid')]: 300,
  });
  expect(seriesOf(text, 'cvm_disaster_recover_group_instance_limit')).toEqual({
    [`{${place},level="host",region="ap-guangzhou"}`]: 50,
    [`{${place},level="switch",region="ap-guangzhou"}`]: 20,
    [`{${place},level="rack",region="ap-guangzhou"}`]: 30,
  });
  expect(seriesOf(text, 'cvm_account_info')).toEqual({
    [`{${place},app_id="251007416",region="ap-guangzhou"}`]: 1,
  });
});

test('quotas say when their limits last changed, by direction, also once they are stale', async () => {
  pollQuotas(quotas(quota({})));
  const before = seriesOf(await scrape(), 'cvm_quota_limit_change_timestamp_seconds');
  nowMs += 1_000;
  pollQuotas(quotas(quota({ limit: 5 })));
  nowMs += staleAfterMs;

  const lowered = zone3.replace('{account="production"', `{${place},direction="lowered"`);
  expect(before).toEqual({});
  expect(seriesOf(await scrape(), 'cvm_quota_limit_change_timestamp_seconds')).toEqual({
    [lowered]: startMs / 1_000 + 1,
  });
});

const incomplete = async () =>
  Object.values(seriesOf(await scrape(), 'cvm_monitor_target_incomplete'));

test('cvm_monitor_target_incomplete is absent before the first answer, and once the last one is stale', async () => {
  const before = await incomplete();
  pollQuotas({ ...quotas(), missing: ['no quota in the answer'] });
  nowMs += staleAfterMs + 1;

  expect([before, await incomplete()]).toEqual([[], []]);
});

test('launch templates show default, latest and number of versions, and the data of the default one', async () => {
  pollTemplate(versions([1, 2, 47], 47));

  const text = await scrape();

  const labels = `{${place},region="ap-guangzhou",template_id="lt-b8v1kcyq"}`;
  expect(seriesOf(text, 'cvm_launch_template_default_version')).toEqual({ [labels]: 47 });
  expect(seriesOf(text, 'cvm_launch_template_latest_version')).toEqual({ [labels]: 47 });
  expect(seriesOf(text, 'cvm_launch_template_versions')).toEqual({ [labels]: 3 });
  expect(seriesOf(text, 'cvm_launch_template_default_version_info')).toEqual({
    [`{${place},charge_type="SPOTPAID",image_id="img-1",instance_type="S5",region="ap-guangzhou",template_id="lt-b8v1kcyq",version="47"}`]: 1,
  });
  expect(seriesOf(text, 'cvm_launch_template_default_version_change_timestamp_seconds')).toEqual(
    {},
  );
});

test('a failed poll shows at once, and leaves the figures', async () => {
  pollQuotas(quotas(quota({})));
  nowMs += 10_000;
  pollQuotas({ code: 'HttpStatus' });

  const text = await scrape();

  const labels = `{${place},operation="DescribeAccountQuota",region="ap-guangzhou"}`;
  expect(seriesOf(text, 'cvm_quota_used')).toEqual({ [zone3]: 2 });
  expect(seriesOf(text, 'cvm_monitor_target_up')).toMatchObject({ [labels]: 0 });
  expect(seriesOf(text, 'cvm_monitor_poll_failures_total')).toEqual({
    [labels.replace('{account="production"', `{${place},code="HttpStatus"`)]: 1,
  });
  expect(seriesOf(text, 'cvm_monitor_target_failing_since_timestamp_seconds')).toEqual({
    [labels.replace('{account="production"', `{${place},code="HttpStatus"`)]: nowMs / 1_000,
  });
  expect(seriesOf(text, 'cvm_monitor_target_last_success_timestamp_seconds')).toEqual({
    [labels]: startMs / 1_000,
  });
  expect(seriesOf(text, 'cvm_monitor_target_last_poll_duration_seconds')).toEqual({
    [labels]: 1.5,
  });
});

test('a body is rendered at most once a second, and is then up to date', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  exposition = expositionOf({ minRenderMs: 1_000 });
  pollQuotas(quotas(quota({})));
  const first = await exposition.body('prometheus', 'identity');
  pollQuotas(quotas(quota({ used: 3 })));
  vi.advanceTimersByTime(999);
  const second = await exposition.body('prometheus', 'identity');
  vi.advanceTimersByTime(1);

  expect(second).toBe(first);
  expect(seriesOf(await scrape(), 'cvm_quota_used')).toEqual({ [zone3]: 3 });
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
  const untilMs = startMs + 2_000;
  const muted = { filter: everyQuota, thresholds: null, untilMs };
  pollTemplate(versions([1], 1));

  expect(await renderedAfter(() => undefined)).toEqual([
    'DescribeAccountQuota',
    'DescribeLaunchTemplateVersions',
  ]);
  expect(await renderedAfter(() => undefined)).toEqual([]);
  expect(
    await renderedAfter(() => {
      pollQuotas(quotas(quota({})));
    }),
  ).toEqual(['DescribeAccountQuota']);
  const thresholds = { ...defaultThresholds, overrides: [muted] };
  expect(await renderedAfter(() => (settings = { ...settings, thresholds }))).toHaveLength(2);
  expect(await renderedAfter(() => (nowMs = untilMs - 1))).toEqual([]);
  expect(await renderedAfter(() => (nowMs = untilMs))).toHaveLength(2);
  const accounts = [{ name: 'production', labels: { team: 'b' } }];
  expect(await renderedAfter(() => (settings = { ...settings, accounts }))).toHaveLength(2);
  expect(seriesOf(await scrape(), 'cvm_account_info')).toEqual({
    '{account="production",app_id="251007416",region="ap-guangzhou",team="b"}': 1,
  });
  expect(await renderedAfter(() => (nowMs = startMs + staleAfterMs))).toHaveLength(2);
});

test('a body is made again after a failure', async () => {
  const registryText = vi.fn(noMetrics.registryText);
  registryText.mockRejectedValueOnce(new Error('a fault of ours'));
  exposition = expositionOf({ metrics: { ...noMetrics, registryText } });

  await expect(exposition.body('prometheus', 'gzip')).rejects.toThrow('a fault of ours');
  expect((await scrape()).series.size).toBeGreaterThan(0);
});

test('a body of OpenMetrics names counters without _total in their TYPE line, has no empty line, and ends with EOF', async () => {
  pollQuotas(quotas(quota({})));
  const metrics = new MonitorMetrics(() => noClients);

  const text = String(await expositionOf({ metrics }).body('openmetrics', 'identity'));

  const { types } = parseExposition(text);
  for (const counter of ['cvm_quota_limit_changes', 'process_cpu_seconds']) {
    expect([counter, types.get(counter)]).toEqual([counter, 'counter']);
  }
  expect(text).not.toContain('\n\n');
  expect(text).toMatch(/\n# EOF\n$/);
});

test('a body of many series is made in many turns of the event loop', async () => {
  const targets = Array.from({ length: 300 }, (_, i) => ({ ...quotaTarget, region: `ap-${i}` }));
  const rows = Array.from({ length: 20 }, (_, i) => quota({ zone: `zone-${i}` }));
  watch(...targets);
  for (const target of targets) poll(targetKey(target), quotas(...rows));

  const { made, turns } = await turnsDuring(() => exposition.body('prometheus', 'gzip'));

  expect(gunzipSync(made).length).toBeGreaterThan(5_000_000);
  expect(turns).toBeGreaterThan(10);
});

test('a body escapes what a label cannot hold', async () => {
  const hostile = versions([1], 1);
  const defaultVersion = { ...hostile.defaultVersion!, imageId: 'a"} 1\n\\evil{' };
  pollTemplate({ ...hostile, defaultVersion } as Snapshot);

  const info = seriesOf(await scrape(), 'cvm_launch_template_default_version_info');

  expect(Object.keys(info)[0]).toContain(String.raw`image_id="a\"} 1\n\\evil{"`);
});

describe.runIf(hasProgram('promtool', 'prometheus'))('promtool', () => {
  test('has no complaint about any metric', async () => {
    const metrics = new MonitorMetrics(() => noClients);
    const call = { account: 'a', operation: 'DescribeAccountQuota' } as const;
    metrics.expectRequests(call);
    metrics.requestFinished({ ...call, durationMs: 3, code: 'Timeout' });
    metrics.retried({ ...call, code: 'Timeout' });
    pollQuotas({ code: 'Timeout' });
    pollQuotas(quotas(quota({ type: 'prepaid', onceLimit: 3 })));
    pollTemplate(versions([1, 2], 1));
    pollTemplate(versions([1, 2], 2));

    const text = String(await expositionOf({ metrics }).body('prometheus', 'identity'));

    parseExposition(text);
    expect(execFileSync('promtool', ['check', 'metrics'], { input: text }).toString()).toBe('');
  });
});

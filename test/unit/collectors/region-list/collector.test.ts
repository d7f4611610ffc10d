import { describe, expect, it } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { regionListCollector as collector } from '../../../../src/collectors/region-list/region-list.ts';
import type { RegionListSnapshot } from '../../../../src/collectors/region-list/answer.ts';
import { regionListTarget } from '../../../../src/collectors/region-list/region-list.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import { formatRecord, parseRecord } from '../../../../src/state/record-file.ts';
import { advance } from '../../../helpers/advance.ts';
import { unbounded } from '../../../helpers/api-client.ts';
import { stubbedClient } from '../../../helpers/stubbed-client.ts';
import { answerFields } from '../../../helpers/stub-service.ts';

const target = regionListTarget('production');
const hourMs = 3_600_000;
const atMs = Date.UTC(2026, 1, 3);

const snapshotOf = (regions: string[], unidentified = 0, appId: number | null = null) =>
  ({ kind: 'region-list', appId, regions, unidentified, missing: [] }) satisfies RegionListSnapshot;

const answered = (snapshot: RegionListSnapshot, record = collector.newRecord(target)) =>
  advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, atMs);

const found = (record: TargetRecord) => collector.regionDiscovery?.regions(record);

describe('the regions of an account', () => {
  it('are none before the first answer', () => {
    expect(found(collector.newRecord(target))).toEqual([]);
  });

  it('are those of the last answer, and their change is no change of a target', () => {
    const first = answered(snapshotOf(['ap-seoul', 'ap-guangzhou']));
    const second = answered(snapshotOf(['ap-seoul', 'ap-tokyo']), first.record);

    expect(found(first.record)).toEqual(['ap-guangzhou', 'ap-seoul']);
    expect(found(second.record)).toEqual(['ap-seoul', 'ap-tokyo']);
    expect([...first.changes, ...second.changes]).toEqual([]);
  });

  it('keep a region that may be in a row that cannot be read', () => {
    const { record } = answered(snapshotOf(['ap-guangzhou', 'ap-seoul']));

    expect(found(answered(snapshotOf(['ap-seoul'], 1), record).record)).toContain('ap-guangzhou');
  });

  it('stay while it is not clear which of them is gone', () => {
    const all = answered(snapshotOf(['ap-guangzhou', 'ap-seoul', 'ap-tokyo'])).record;
    const unclear = answered(snapshotOf(['ap-tokyo'], 1), all).record;
    const later = answered(snapshotOf(['ap-tokyo'], 1), unclear).record;
    const clear = answered(snapshotOf(['ap-seoul', 'ap-tokyo']), later).record;

    expect(found(unclear)).toEqual(['ap-guangzhou', 'ap-seoul', 'ap-tokyo']);
    expect(found(parseRecord(formatRecord(unclear), collectors))).toEqual(found(unclear));
    expect(found(later)).toEqual(found(unclear));
    expect(found(clear)).toEqual(['ap-seoul', 'ap-tokyo']);
  });

  it('of another account are known from its own answer alone', () => {
    const { record } = answered(snapshotOf(['ap-guangzhou', 'ap-seoul'], 0, 7));

    expect(found(answered(snapshotOf(['ap-seoul'], 1, 8), record).record)).toEqual(['ap-seoul']);

    const unclear = answered(snapshotOf(['ap-guangzhou'], 2, 7), record).record;
    expect(found(unclear)).toEqual(['ap-guangzhou', 'ap-seoul']);
    expect(found(answered(snapshotOf(['ap-tokyo'], 1, 8), unclear).record)).toEqual(['ap-tokyo']);
  });

  it('are asked for in one request, which any region answers', async () => {
    const { client, service } = await stubbedClient((_request, response) => {
      answerFields(response, { RegionSet: [{ Region: 'ap-seoul', RegionState: 'AVAILABLE' }] });
    });

    const { snapshot } = await client.poll(target, unbounded());

    expect(snapshot).toMatchObject({ regions: ['ap-seoul'] });
    expect(service.requests.map(({ query }) => query)).toEqual([
      { Action: 'DescribeRegions', Region: 'ap-guangzhou', Version: '2017-03-12' },
    ]);
  });

  it('are asked for once an hour, until an answer fails', () => {
    const { record } = answered(snapshotOf(['ap-seoul']));
    const failure = { ok: false, code: 'Timeout', message: '', requestId: null, durationMs: 1 };
    const failed = advance(record, { ...failure, ok: false }, atMs).record;
    const due = (later: number) => collector.needsPoll(record, atMs + later);
    const minutes = Array.from({ length: 61 }, (_, minute) => minute * 60_000);

    expect(collector.needsPoll(collector.newRecord(target), atMs)).toBe(true);
    expect(collector.needsPoll(failed, atMs)).toBe(true);
    expect(due(0)).toBe(false);
    expect(due(hourMs)).toBe(true);
    // It becomes due once, and stays due.
    expect(minutes.map(due).lastIndexOf(false)).toBeLessThan(minutes.map(due).indexOf(true));
  });

  it('are stored, and read again', () => {
    const { record } = answered(snapshotOf(['ap-seoul'], 1));
    const { polls: _polls, ...freshness } = record.seen.freshness;

    expect(parseRecord(formatRecord(record), collectors)).toMatchObject({ ...record, freshness });
  });

  it('are shown in JSON', () => {
    expect(collector.json(snapshotOf(['ap-seoul']))).toEqual({ regions: ['ap-seoul'] });
  });
});

describe('the collector of regions', () => {
  it('plans no target from a configuration, and needs one permission', () => {
    const place = { account: 'a', region: 'r', accountKeys: {}, regionKeys: {} };

    expect(collector.plan(place)).toEqual([]);
    expect(collector.details(target)).toBe('');
    expect(collector.actions).toEqual(['name/cvm:DescribeRegions']);
    expect(collector.families).toEqual([]);
  });

  it('continues a record of the same account', () => {
    const { record } = answered(snapshotOf(['ap-seoul']));
    const next = { ...target, intervalMs: 2 * hourMs };

    expect(collector.continueRecord(record, next)).toEqual({ ...record, target: next });
    expect(collector.countFromZero(record)).toEqual(record);
  });
});

import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineCollector, type CollectorDefinition } from '../../../src/collectors/collector.ts';
import type { QuotaReport } from '../../../src/collectors/quota-report.ts';
import { launchTemplateCollector } from '../../../src/collectors/launch-template/collector.ts';
import { compareVersions } from '../../../src/collectors/launch-template/compare.ts';
import { launchTemplateFamilies } from '../../../src/collectors/launch-template/families.ts';
import { quotaCollector } from '../../../src/collectors/quota/collector.ts';
import type { Comparison } from '../../../src/collectors/collector.ts';
import { newRecordFields, type TargetRecord } from '../../../src/model/record.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import type { Target } from '../../../src/model/target.ts';
import { viewOf } from '../../helpers/record-view.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { regionListTarget } from '../../../src/collectors/region-list/target.ts';
import {
  quotas,
  quotaTarget,
  templateListTarget,
  templateTarget,
  versions,
} from '../../helpers/fake-monitor.ts';

interface PlainTarget extends Target {
  readonly operation: 'DescribePlain';
}
interface PlainSnapshot extends Snapshot {
  readonly kind: 'plain';
}
interface PlainRecord extends TargetRecord {
  readonly kind: 'plain';
  readonly target: PlainTarget;
  readonly snapshot: PlainSnapshot | null;
  readonly seen: number;
}
type Definition = CollectorDefinition<PlainTarget, PlainSnapshot, PlainRecord>;

/** A kind with nothing but what every kind has; it counts what it has seen. */
const plain = {
  kind: 'plain',
  operation: 'DescribePlain',
  service: { service: 'plain', version: '2026-01-01' },
  noun: 'plain things',
  resourceLabels: [],
  configuration: {
    account: z.object({}),
    region: z.object({ plain: z.boolean().default(false) }),
    nothing: 'plain is false',
  },
  actions: [],
  changeTexts: {},
  isTarget: (target): target is PlainTarget => target.operation === 'DescribePlain',
  isSnapshot: (snapshot): snapshot is PlainSnapshot => snapshot.kind === 'plain',
  isRecord: (record): record is PlainRecord => record.kind === 'plain',
  plan: () => [],
  details: () => '',
  poll: () => Promise.reject(new Error('never called')),
  newRecord: (target): PlainRecord => ({
    kind: 'plain',
    target,
    ...newRecordFields,
    seen: 0,
  }),
  continueRecord: (record, target) => ({ ...record, target }),
  countFromZero: (record) => record,
  forget: (record) => ({ ...record, seen: 0 }),
  compare: (record, snapshot): Comparison<PlainRecord> => ({
    record: { ...record, snapshot, seen: record.seen + 1 },
    differences: [],
  }),
  stored: z.custom<PlainRecord>(),
  families: [],
  json: () => ({}),
} satisfies Definition;

const plainTarget = { account: 'a', region: 'r', operation: 'DescribePlain' };
const snapshotOf = (appId: number | null) => ({ kind: 'plain', appId, missing: [] });

const quotaRecord = quotaCollector.newRecord(quotaTarget('a', 'r'));
const templateRecord = launchTemplateCollector.newRecord(templateTarget('a', 'r', 'lt-1'));

describe('the compiler', () => {
  /** The parts without which a definition is no definition. */
  type Demanded<T> = {
    [Part in keyof T]-?: Omit<T, Part> extends T ? never : Part;
  }[keyof T];

  it('demands every part but the few that not every kind has', () => {
    expectTypeOf<Exclude<keyof Definition, Demanded<Definition>>>().toEqualTypeOf<
      | 'discovery'
      | 'needsPoll'
      | 'neverAnswered'
      | 'regionProblems'
      | 'quotaReport'
      | 'regionDiscovery'
      | 'table'
    >();
  });

  it('demands every part of a report of quotas', () => {
    expectTypeOf<Demanded<QuotaReport<Target, PlainRecord>>>().toEqualTypeOf<
      'quotas' | 'reportable' | 'limits' | 'note' | 'sources'
    >();
  });

  it('refuses a definition without a part, and parts of two kinds', () => {
    const { poll: _poll, ...withoutPoll } = plain;
    const mistakes = () => {
      // @ts-expect-error there is no poll
      defineCollector(withoutPoll);
      // @ts-expect-error these compare records of templates
      defineCollector({ ...plain, compare: compareVersions });
      // @ts-expect-error these show records of templates
      defineCollector({ ...plain, families: launchTemplateFamilies });
      // @ts-expect-error this is the form of another record
      defineCollector({ ...plain, stored: z.object({ kind: z.literal('other') }) });
    };

    expect(mistakes).toBeTypeOf('function');
  });
});

describe('a collector', () => {
  it.each<[string, () => unknown]>([
    [
      'the snapshot of another to compare',
      () => quotaCollector.compare(quotaRecord, versions([1], 1), 0),
    ],
    ['the record of another to compare', () => quotaCollector.compare(templateRecord, quotas(), 0)],
    [
      'the record of another to continue',
      () => launchTemplateCollector.continueRecord(quotaRecord, templateTarget('a', 'r', 'lt-1')),
    ],
    [
      'the target of another to continue',
      () => launchTemplateCollector.continueRecord(templateRecord, quotaTarget('a', 'r')),
    ],
    ['the target of another to begin', () => quotaCollector.newRecord(plainTarget)],
    [
      'the record of another to count from zero',
      () => quotaCollector.countFromZero(templateRecord),
    ],
    ['the record of another to report its quotas', () => quotaCollector.quotas(templateRecord)],
    ['the record of another to report its limits', () => quotaCollector.limits(templateRecord)],
    [
      'the record of another to expose',
      () => quotaCollector.families[0]?.samples(viewOf(templateRecord)),
    ],
    [
      'the record of another for its table',
      () => launchTemplateCollector.table?.cells(quotaRecord),
    ],
    ['the snapshot of another for JSON', () => quotaCollector.json(versions([1], 1))],
    ['the target of another to describe', () => quotaCollector.details(plainTarget)],
  ])('refuses %s', (_what, misuse) => {
    expect(misuse).toThrow('was given something of another kind');
  });

  const targets: readonly Target[] = [
    quotaTarget('a', 'r'),
    templateTarget('a', 'r', 'lt-1'),
    templateListTarget('a', 'r'),
    regionListTarget('a'),
  ];

  it.each(targets)('of $operation knows its own target, record and snapshot alone', (target) => {
    const { countFromZero, json, kind, newRecord } = collectors.of(target);
    const isRefused = (misuse: () => unknown) => {
      expect(misuse).toThrow('was given something of another kind');
    };

    expect(newRecord(target).kind).toBe(kind);
    for (const other of targets.filter((each) => each !== target)) {
      const collector = collectors.of(other);
      isRefused(() => newRecord(other));
      isRefused(() => countFromZero(collector.newRecord(other)));
      isRefused(() => json({ kind: collector.kind, appId: null, missing: [] }));
    }
  });

  it('that every target has is one of four, and only templates have a resource', () => {
    expect(collectors.all.map(({ operation }) => operation).toSorted()).toEqual(
      targets.map(({ operation }) => operation).toSorted(),
    );
    expect(collectors.resourceOf({})).toEqual({ template_id: null });
  });

  it('reports no quotas, notes or problems where its definition has none', () => {
    const collector = defineCollector(plain);
    const record = collector.newRecord(plainTarget);

    expect(collector).toMatchObject({
      discovery: null,
      quotaSources: null,
      regionDiscovery: null,
      table: null,
    });
    expect(collector.quotas(record)).toEqual([]);
    expect(collector.limits(record)).toEqual([]);
    expect(collector.quotaNote({ ...quotaOf, type: 'prepaid' })).toBe('');
    expect(collector.reportableQuotas(plainTarget)).toEqual([]);
    expect(collector.neverAnswered(record, plainTarget)).toEqual([]);
    expect(collector.needsPoll(record, 0)).toBe(true);
    expect(collector.regionProblems('r', {})).toEqual([]);
  });

  it('looks for problems of a region only where its keys are right', () => {
    const collector = defineCollector({
      ...plain,
      regionProblems: (name, { plain: isPlain }) => [{ path: [name], message: String(isPlain) }],
    });

    expect(collector.regionProblems('r', { plain: true, other: 1 })).toEqual([
      { path: ['r'], message: 'true' },
    ]);
    expect(collector.regionProblems('r', { plain: 1 })).toEqual([]);
  });

  it.each([
    ['of the same account', 7, 7, 2, 7],
    ['that does not tell its account', 7, null, 2, 7],
    ['the first that tells its account', null, 7, 2, 7],
    ['of another account', 7, 8, 1, 8],
  ])('compares an answer %s', (_what, known, told, seen, appId) => {
    const collector = defineCollector(plain);
    const first = collector.compare(collector.newRecord(plainTarget), snapshotOf(known), 0);
    const trend = { stepMs: 900_000, lastStep: 7, quotas: [] };

    const { record } = collector.compare({ ...first.record, trend }, snapshotOf(told), 0);

    expect(record).toMatchObject({ seen, appId });
    expect(record.trend).toBe(seen === 1 ? undefined : trend);
  });
});

const quotaOf = { zone: null, unit: 'instances', used: 0, remaining: 0, limit: 0 };

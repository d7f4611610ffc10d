import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Collector } from '../../../src/collectors/collector.ts';
import { CollectorSet } from '../../../src/collectors/collector-set.ts';
import { launchTemplateCollector } from '../../../src/collectors/launch-template/launch-template.ts';
import { regionListCollector } from '../../../src/collectors/region-list.ts';
import { quotaCollector } from '../../../src/collectors/quota/quota.ts';
import { changeOf } from '../../../src/model/change.ts';
import { quotaTarget, templateTarget } from '../../support/fake-monitor.ts';

const collectors = new CollectorSet([quotaCollector, launchTemplateCollector]);
const quotaRegion = quotaTarget('production', 'ap-guangzhou');
const template = templateTarget('production', 'ap-guangzhou', 'lt-1');

/** A collector that shares nothing with that of quotas. */
const other: Collector = {
  ...quotaCollector,
  kind: 'other',
  operation: 'DescribeOther',
  families: [],
  configuration: { account: z.object({}), region: z.object({}), nothing: '' },
};

it('a set of collectors finds the one of a target by its operation, and the name of the target', () => {
  expect(collectors.of(quotaRegion)).toBe(quotaCollector);
  expect(collectors.of(template)).toBe(launchTemplateCollector);
  expect([collectors.nameOf(template), collectors.nameOf(quotaRegion)]).toEqual(['lt-1', 'quotas']);
});

it('a set of collectors knows no other operation', () => {
  const removed = { operation: 'DescribeOther' };

  expect(collectors.knows(template)).toBe(true);
  expect(collectors.knows(removed)).toBe(false);
  expect(() => collectors.of(removed)).toThrow('DescribeOther');
});

it('a set of collectors tells the labels of every resource, also of those that a target does not have', () => {
  const more = new CollectorSet([
    ...collectors.all,
    { ...other, resourceLabels: ['disk_type', 'disk_size'] },
  ]);

  expect(more.resourceOf(quotaRegion)).toEqual({
    template_id: null,
    disk_type: null,
    disk_size: null,
  });
  expect(more.resourceOf(template)).toEqual({
    template_id: 'lt-1',
    disk_type: null,
    disk_size: null,
  });
});

it('a set of collectors finds the regions of an account if one of its collectors does', () => {
  expect(collectors.regionDiscovery).toBeNull();
  expect(new CollectorSet([...collectors.all, regionListCollector]).regionDiscovery).toBe(
    regionListCollector.regionDiscovery,
  );
});

it('a set of collectors has the kinds of changes of all, each once', () => {
  const more = new CollectorSet([...collectors.all, other]);

  expect(collectors.changeKinds).toEqual(
    expect.arrayContaining(['quota-disappeared', 'version-created', 'list-replaced']),
  );
  expect(new Set(collectors.changeKinds).size).toBe(collectors.changeKinds.length);
  expect(more.changeKinds).toEqual(collectors.changeKinds);
});

it('a set of collectors says what changed, and of a kind that an older version found its name', () => {
  const change = changeOf(template, 0, { kind: 'version-created', from: null, to: 3 });

  expect(collectors.changeText(change)).toBe('version 3 created');
  expect(collectors.changeText({ ...change, kind: 'more-changes' })).toBe('3 more changes');
  expect(collectors.changeText({ ...change, kind: 'version-renamed' })).toBe('version-renamed');
  expect(collectors.changeText({ ...change, kind: '__proto__' })).toBe('__proto__');
});

it.each<[string, Partial<Collector>]>([
  ['operation', { operation: quotaCollector.operation }],
  ['kind', { kind: quotaCollector.kind }],
  ['metric', { families: quotaCollector.families }],
  [
    'key of accounts',
    { configuration: { ...other.configuration, account: z.object({ quota_types: z.null() }) } },
  ],
  [
    'key of regions',
    { configuration: { ...other.configuration, region: z.object({ zones: z.null() }) } },
  ],
  ['table', { table: launchTemplateCollector.table }],
])('a set of collectors refuses two with the same %s', (_what, shared) => {
  expect(() => new CollectorSet([...collectors.all, other])).not.toThrow();
  expect(() => new CollectorSet([...collectors.all, { ...other, ...shared }])).toThrow(
    'two collectors have the name',
  );
});

it('a set of collectors accepts two that read the same keys', () => {
  const { region } = quotaCollector.configuration;
  const sharing = { ...other, configuration: { ...other.configuration, region } };

  expect(new CollectorSet([...collectors.all, sharing]).all).toContain(sharing);
});

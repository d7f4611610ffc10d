import { expect, it } from 'vitest';
import type { z } from 'zod';
import { english, textsOf } from '../../../src/model/texts/texts.ts';
import { CollectorSet } from '../../../src/collectors/collector-set.ts';
import type { Collector } from '../../../src/collectors/collector.ts';
import { collectors as all } from '../../../src/collectors/collectors.ts';
import { launchTemplateCollector } from '../../../src/collectors/launch-template/launch-template.ts';
import { quotaCollector } from '../../../src/collectors/quota/quota.ts';
import { regionListCollector } from '../../../src/collectors/region-list.ts';
import { changeOf } from '../../../src/model/change.ts';
import { quotaTarget, templateTarget } from '../../support/fake-monitor.ts';
import { rowsOf } from '../../support/rows.ts';

const collectors = new CollectorSet([quotaCollector, launchTemplateCollector]);
const quotaRegion = quotaTarget('production', 'ap-guangzhou');
const template = templateTarget('production', 'ap-guangzhou', 'lt-1');

/** A collector that shares nothing with that of quotas. */
const other: Collector = {
  ...quotaCollector,
  kind: 'other',
  operation: 'DescribeOther',
};

it('a set of collectors finds the one of a target by its operation, and the name of the target', () => {
  expect(collectors.of(quotaRegion)).toBe(quotaCollector);
  expect(collectors.of(template)).toBe(launchTemplateCollector);
  expect([collectors.nameOf(template), collectors.nameOf(quotaRegion)]).toEqual(['lt-1', 'quotas']);
});

it('a set of collectors knows no other operation', () => {
  const removed = { operation: 'DescribeOther' };

  expect(collectors.has(template)).toBe(true);
  expect(collectors.has(removed)).toBe(false);
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

it('a kind that does not say so reports no quotas, and needs no key', () => {
  const collector = all.of({ operation: 'DescribeRegions' });
  expect(collector.reportableQuotas(quotaRegion)).toEqual([]);
  expect(collector.configuration.emptyReason).toBeUndefined();
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

  expect(collectors.changeText(change, english)).toBe('version 3 created');
  expect(collectors.changeText({ ...change, kind: 'more-changes' }, english)).toBe(
    '3 more changes',
  );
  expect(collectors.changeText({ ...change, kind: 'version-renamed' }, english)).toBe(
    'version-renamed',
  );
  expect(collectors.changeText({ ...change, kind: '__proto__' }, english)).toBe('__proto__');
});

it.each<[string, readonly string[]]>([
  ['operation', all.all.map(({ operation }) => operation)],
  ['kind', all.all.map(({ kind }) => kind)],
  ['metric', all.all.flatMap(({ families }) => families.map(({ name }) => name))],
  ['table', all.all.flatMap(({ table }) => table?.id ?? [])],
  ['key of accounts', keysOf(all.all.map(({ configuration }) => configuration.account))],
  ['key of regions', keysOf(all.all.map(({ configuration }) => configuration.region))],
])('no two kinds of the program have the same %s', (_what, names) => {
  expect(new Set(names).size).toBe(names.length);
});

/** The keys of schemas. Kinds that share the schema of a key have it once. */
function keysOf(schemas: readonly z.ZodObject[]): string[] {
  const keys = schemas.flatMap(({ shape }) => Object.entries(shape));
  return [...new Map(keys.map(([key, schema]) => [schema, key])).values()];
}

it('the kinds of targets are those of the program, with what they follow', () => {
  const found = all.all.map(({ follows, kind, noun, operation, resourceLabels, service }) =>
    [kind, service.service, operation, noun, ...resourceLabels, ...follows].join(', '),
  );

  expect(found).toEqual(rowsOf('collectors', 'kinds'));
});

it('the changes of every kind are said in words', () => {
  const changes = all.all.flatMap(({ changeTexts, operation }) =>
    Object.keys(changeTexts).map((kind) => {
      const target = { account: 'production', region: 'ap-x', operation };
      return changeOf(target, 0, { kind, from: 1, to: 2 });
    }),
  );
  const said = changes.map((change) => `${change.kind}: ${all.changeText(change, english)}`);
  const inChinese = changes.map((change) => all.changeText(change, textsOf('zh-CN')));

  expect(said).toEqual(rowsOf('collectors', 'texts-of-changes'));
  expect(inChinese.join('')).not.toMatch(/[a-z]/);
});

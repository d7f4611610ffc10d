import { describe, expect, it } from 'vitest';
import {
  readListPage,
  summarizeList,
} from '../../../../src/collectors/launch-template-list/answer.ts';
import type { TemplateSelection } from '../../../../src/collectors/launch-template-list/answer.ts';
import { templateListTarget } from '../../../helpers/fake-monitor.ts';

const all: TemplateSelection = { names: null, tags: {} };

function read(fields: object, selection = all, maxWatched = 1_000) {
  const page = readListPage({ fields, requestId: 'b2da6ace' });
  const target = { ...templateListTarget('production', 'ap-guangzhou'), selection, maxWatched };
  return summarizeList(page, target);
}

const web = {
  LaunchTemplateId: 'lt-b8v1kcyq',
  LaunchTemplateName: 'web',
  DefaultVersionNumber: 5,
  LatestVersionNumber: 12,
  LaunchTemplateVersionCount: 8,
  CreatedBy: '251009920',
  CreationTime: '2020-12-17T01:54:31Z',
};

describe('an answer', () => {
  it('is read row by row', () => {
    expect(read({ TotalCount: 1, LaunchTemplateSet: [web] })).toEqual({
      snapshot: {
        kind: 'launch-template-list',
        appId: null,
        templates: [
          { id: 'lt-b8v1kcyq', name: 'web', defaultVersion: 5, latestVersion: 12, versions: 8 },
        ],
        unidentified: 0,
        missing: [],
      },
      anomalies: [],
    });
  });

  it.each([[[]], [null], [undefined]])('without templates is empty', (LaunchTemplateSet) => {
    const { snapshot, anomalies } = read({ TotalCount: 0, LaunchTemplateSet });

    expect(snapshot).toMatchObject({ templates: [], unidentified: 0, missing: [] });
    expect(anomalies).toEqual([]);
  });

  it.each<[string, object]>([
    ['no set and no total', {}],
    ['a total alone', { TotalCount: 3 }],
    ['rows without IDs', { TotalCount: 1, LaunchTemplateSet: [{}] }],
    ['rows without IDs, although the total is none', { TotalCount: 0, LaunchTemplateSet: [{}] }],
    ['rows that are no objects', { TotalCount: 2, LaunchTemplateSet: [null, 'web'] }],
    ['a set that is no list', { TotalCount: 1, LaunchTemplateSet: {} }],
    [
      'far too many rows',
      { TotalCount: 1, LaunchTemplateSet: Array.from({ length: 1_001 }, () => web) },
    ],
  ])('with %s fails', (_name, fields) => {
    expect(() => read(fields)).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });

  it.each([
    {},
    { LaunchTemplateId: 7 },
    { LaunchTemplateId: 'lt-' },
    { LaunchTemplateId: 'lt-a/b' },
  ])('with the row %j leaves it out as unidentified', (odd) => {
    const { snapshot, anomalies } = read({ TotalCount: 2, LaunchTemplateSet: [web, odd] });

    expect(snapshot.templates).toHaveLength(1);
    expect(snapshot.unidentified).toBe(1);
    expect(snapshot.missing).toEqual([expect.stringContaining('row 2')]);
    expect(anomalies.map(({ kind }) => kind)).toEqual(['invalid-row']);
  });

  it('with a template twice uses the first row, and the other one is unidentified', () => {
    const again = { ...web, LaunchTemplateName: 'again' };
    const { snapshot, anomalies } = read({ TotalCount: 2, LaunchTemplateSet: [web, again] });

    expect(snapshot.templates).toMatchObject([{ name: 'web' }]);
    expect(snapshot.unidentified).toBe(1);
    expect(anomalies.map(({ kind }) => kind)).toEqual(['duplicate-row']);
  });

  it('with a higher total than rows has unidentified templates, with a lower one it has none', () => {
    expect(read({ TotalCount: 4, LaunchTemplateSet: [web] })).toMatchObject({
      snapshot: { unidentified: 3, missing: [expect.any(String)] },
      anomalies: [{ kind: 'total-count-mismatch' }],
    });
    expect(read({ TotalCount: 0, LaunchTemplateSet: [web] })).toMatchObject({
      snapshot: { unidentified: 0, missing: [] },
      anomalies: [{ kind: 'total-count-mismatch' }],
    });
  });

  it('may have 1,000 rows in one page', () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...web, LaunchTemplateId: `lt-${i}` }));

    expect(read({ TotalCount: 1_000, LaunchTemplateSet: rows }).snapshot.templates).toHaveLength(
      1_000,
    );
  });

  it('keeps a row whose other fields cannot be read', () => {
    const row = {
      LaunchTemplateId: 'lt-b8v1kcyq',
      DefaultVersionNumber: 'x',
      LatestVersionNumber: -1,
    };

    expect(read({ TotalCount: 1, LaunchTemplateSet: [row] }).snapshot.templates).toEqual([
      { id: 'lt-b8v1kcyq', name: '', defaultVersion: null, latestVersion: null, versions: null },
    ]);
  });

  it('with more templates than are watched lacks something', () => {
    const rows = [web, { ...web, LaunchTemplateId: 'lt-2' }];

    expect(read({ TotalCount: 2, LaunchTemplateSet: rows }, all, 2).snapshot.missing).toEqual([]);
    expect(read({ TotalCount: 2, LaunchTemplateSet: rows }, all, 1).snapshot.missing).toEqual([
      expect.stringContaining('max_launch_templates'),
    ]);
  });
});

describe('a pattern', () => {
  it.each([
    ['web', 'web', true],
    ['web', 'web-1', false],
    ['web-*', 'web-1', true],
    ['web-*', 'web-', true],
    ['web-*', 'my-web-1', false],
    ['*', '', true],
    ['*-1', 'web-1', true],
    ['*-1', 'web-12', false],
    ['w*b*1', 'web-b-1', true],
    ['ab*ba', 'aba', false],
    ['*a*a*', 'a', false],
    ['a.c', 'abc', false],
    ['we(b*', 'we(b\n1', true],
  ])('%s compared with the name %j: %s', (pattern, LaunchTemplateName, expected) => {
    const rows = [{ ...web, LaunchTemplateName }];
    const { snapshot } = read(
      { TotalCount: 1, LaunchTemplateSet: rows },
      { names: [pattern], tags: {} },
    );

    expect(snapshot.templates).toHaveLength(expected ? 1 : 0);
    expect(snapshot.unidentified).toBe(0);
  });

  it('of many stars is compared in a short time', () => {
    const rows = [{ ...web, LaunchTemplateName: 'a'.repeat(128) }];
    const selection = { names: [`${'*a'.repeat(60)}*b`], tags: {} };

    expect(read({ TotalCount: 1, LaunchTemplateSet: rows }, selection).snapshot.templates).toEqual(
      [],
    );
  });

  it('leaves out a row without a name as unidentified', () => {
    const rows = [web, { LaunchTemplateId: 'lt-2' }];
    const { snapshot } = read(
      { TotalCount: 2, LaunchTemplateSet: rows },
      { names: ['web'], tags: {} },
    );

    expect(snapshot).toMatchObject({ templates: [{ id: 'lt-b8v1kcyq' }], unidentified: 1 });
    expect(snapshot.missing).toEqual([expect.stringContaining('lt-2')]);
  });

  it('may be one of several', () => {
    const rows = [web, { ...web, LaunchTemplateId: 'lt-2', LaunchTemplateName: 'db' }];
    const selection = { names: ['cache', 'web', 'db'], tags: {} };

    expect(
      read({ TotalCount: 2, LaunchTemplateSet: rows }, selection).snapshot.templates,
    ).toHaveLength(2);
  });
});

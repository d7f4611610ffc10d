import { describe, expect, it } from 'vitest';
import {
  readVersionPage,
  summarizeVersions,
} from '../../../../src/collectors/launch-template/answer.ts';

const summarize = (rows: readonly unknown[], totalCount: number | null = rows.length) => {
  const page = readVersionPage({
    fields: { TotalCount: totalCount, LaunchTemplateVersionSet: rows },
    requestId: 'b2da6ace',
  });
  return summarizeVersions(page, null);
};

const version = (LaunchTemplateVersion: unknown, more: object = {}) => ({
  LaunchTemplateVersion,
  IsDefaultVersion: false,
  ...more,
});
const theDefault = { IsDefaultVersion: true };

describe('the versions', () => {
  it('are sorted, and their default may be number 47', () => {
    const { snapshot, anomalies } = summarize([version(47, theDefault), version(5), version(12)]);

    expect(snapshot).toMatchObject({ versions: [5, 12, 47], defaultVersion: { version: 47 } });
    expect(anomalies).toEqual([]);
  });

  it.each([null, '3', -1, 1.5, 2 ** 53, undefined])('know of one with the number %j', (number) => {
    const { snapshot, anomalies } = summarize([version(number), version(2, theDefault)]);

    expect(snapshot).toMatchObject({ versions: [2], unidentified: 1 });
    expect(snapshot.missing).toEqual([expect.stringContaining('row 1')]);
    expect(anomalies).toMatchObject([{ kind: 'invalid-row' }]);
  });

  it.each([{}, null, [], 'row'])('know of a row that is %j', (wrong) => {
    const { snapshot } = summarize([wrong, version(2, theDefault)]);

    expect(snapshot).toMatchObject({ versions: [2], unidentified: 1, defaultVersion: {} });
    expect(snapshot.missing).toHaveLength(1);
  });

  it('have the number of a row whose default flag is not one', () => {
    const { snapshot, anomalies } = summarize([
      version(1, { IsDefaultVersion: 'yes' }),
      version(2, theDefault),
    ]);

    expect(snapshot).toMatchObject({
      versions: [1, 2],
      unidentified: 0,
      defaultVersion: { version: 2 },
    });
    expect(snapshot.missing).toEqual([expect.stringContaining('version 1')]);
    expect(anomalies).toMatchObject([{ kind: 'invalid-row' }]);
  });

  it('count a repeated row as one whose number is unknown', () => {
    const { snapshot, anomalies } = summarize([version(1, theDefault), version(1), version(2)]);

    expect(snapshot).toMatchObject({
      versions: [1, 2],
      unidentified: 1,
      defaultVersion: { version: 1 },
    });
    expect(snapshot.missing).toHaveLength(1);
    expect(anomalies).toMatchObject([{ kind: 'duplicate-row' }]);
  });

  it('may be none when the service counts none', () => {
    expect(summarize([])).toEqual({
      snapshot: {
        kind: 'launch-template',
        appId: null,
        versions: [],
        unidentified: 0,
        defaultVersion: null,
        missing: [],
      },
      anomalies: [],
    });
  });

  it.each<[string, readonly unknown[], number | null]>([
    ['the service counts some', [], 3],
    ['the service does not say so', [], null],
    ['no row can be read', [version(null), version(null)], 2],
    ['no row can be read, although the service counts none', [version(null)], 0],
  ])('are not believed to be none when %s', (_when, rows, totalCount) => {
    expect(() => summarize(rows, totalCount)).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });

  it('are as many as are listed when the service does not count them', () => {
    expect(summarize([version(1, theDefault)], null)).toMatchObject({
      snapshot: { versions: [1], unidentified: 0, missing: [] },
      anomalies: [],
    });
  });

  it('are unknown as far as the service counts more than it lists', () => {
    const { snapshot, anomalies } = summarize([version(1, theDefault)], 7);

    expect(snapshot).toMatchObject({ versions: [1], unidentified: 6 });
    expect(snapshot.missing).toHaveLength(1);
    expect(anomalies).toMatchObject([{ kind: 'total-count-mismatch' }]);
  });

  it('are complete where the service counts fewer than it lists', () => {
    const { snapshot, anomalies } = summarize([version(1, theDefault), version(2)], 1);

    expect(snapshot).toMatchObject({ versions: [1, 2], unidentified: 0, missing: [] });
    expect(anomalies).toMatchObject([{ kind: 'total-count-mismatch' }]);
  });

  it('name at most 20 of what is missing', () => {
    const rows = Array.from({ length: 33 }, () => ({}));

    const { snapshot } = summarize([version(1, theDefault), ...rows]);

    expect(snapshot.missing).toHaveLength(21);
    expect(snapshot.missing.at(-1)).toBe('and 13 more');
  });
});

describe('the default version', () => {
  it('is unknown where several claim to be', () => {
    const { snapshot, anomalies } = summarize([version(1, theDefault), version(2, theDefault)]);

    expect(snapshot).toMatchObject({ versions: [1, 2], defaultVersion: null });
    expect(snapshot.missing).toHaveLength(1);
    expect(anomalies).toMatchObject([{ kind: 'multiple-defaults' }]);
  });

  it('is named with at most nine others that claim to be', () => {
    const rows = Array.from({ length: 12 }, (_, i) => version(i + 1, theDefault));

    const { anomalies } = summarize(rows);

    expect(anomalies).toMatchObject([{ detail: expect.stringMatching(/^12 .*: 1, 2, .*, 10$/) }]);
  });

  it('is known although its row is repeated', () => {
    const { snapshot, anomalies } = summarize([version(1, theDefault), version(1, theDefault)]);

    expect(snapshot.defaultVersion).toMatchObject({ version: 1 });
    expect(anomalies).toMatchObject([{ kind: 'duplicate-row' }]);
  });

  it.each([
    [
      'repeats a version that is not the default and claims to be',
      [version(1, theDefault), version(2), version(2, theDefault)],
      'multiple-defaults',
    ],
    ['is no default', [version(1), version(null)], 'no-default'],
    ['claims to be', [version(1, theDefault), version(null, theDefault)], 'multiple-defaults'],
    ['repeats a version and claims to be', [version(1), version(1, theDefault)], 'duplicate-row'],
    ['may be', [version(1), {}], 'invalid-row'],
    ['has a flag that is none', [version(1), version(2, { IsDefaultVersion: 1 })], 'invalid-row'],
  ])('is unknown where a row that cannot be read %s', (_what, rows, kind) => {
    const { snapshot, anomalies } = summarize(rows);

    expect(snapshot.defaultVersion).toBeNull();
    expect(anomalies.at(-1)).toMatchObject({ kind });
  });

  it.each([false, null, undefined])('is unknown where none is: %j', (IsDefaultVersion) => {
    const { snapshot, anomalies } = summarize([version(1, { IsDefaultVersion })]);

    expect(snapshot.defaultVersion).toBeNull();
    expect(anomalies).toMatchObject([{ kind: 'no-default' }]);
  });

  it('brings its data, printable and bounded, and nothing else', () => {
    const LaunchTemplateVersionData = {
      ImageId: 'img-8toqc6s3\n',
      InstanceType: `S5.${'X'.repeat(1000)}`,
      InstanceChargeType: '\u0000SPOTPAID',
      UserData: 'c2VjcmV0',
    };

    const { snapshot } = summarize([version(1, { ...theDefault, LaunchTemplateVersionData })]);

    expect(snapshot.defaultVersion).toEqual({
      version: 1,
      imageId: 'img-8toqc6s3',
      instanceType: `S5.${'X'.repeat(125)}`,
      chargeType: 'SPOTPAID',
    });
  });

  it.each([undefined, null, 'data', [], {}, { ImageId: 7 }])(
    'counts without data that can be read: %j',
    (LaunchTemplateVersionData) => {
      const { snapshot } = summarize([version(1, { ...theDefault, LaunchTemplateVersionData })]);

      expect(snapshot.defaultVersion).toEqual({
        version: 1,
        imageId: '',
        instanceType: '',
        chargeType: '',
      });
    },
  );
});

describe('a page', () => {
  it.each([null, undefined, 'many', -1, 1.5])('may have %j as its total', (TotalCount) => {
    const fields = { TotalCount, LaunchTemplateVersionSet: [] };

    expect(readVersionPage({ fields, requestId: null }).totalCount).toBeNull();
  });

  it.each([null, undefined])('may have %j as its set', (LaunchTemplateVersionSet) => {
    const fields = { TotalCount: 0, LaunchTemplateVersionSet };

    expect(readVersionPage({ fields, requestId: null }).rows).toEqual([]);
  });

  it('may have 1,000 rows', () => {
    const fields = { LaunchTemplateVersionSet: Array.from({ length: 1000 }, () => ({})) };

    expect(readVersionPage({ fields, requestId: null }).rows).toHaveLength(1000);
  });

  it('of more than 1,000 rows is refused', () => {
    const fields = { LaunchTemplateVersionSet: Array.from({ length: 1001 }, () => ({})) };

    expect(() => readVersionPage({ fields, requestId: 'b2da6ace' })).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });

  it('of the wrong shape is refused', () => {
    const fields = { LaunchTemplateVersionSet: {} };

    expect(() => readVersionPage({ fields, requestId: 'b2da6ace' })).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });
});

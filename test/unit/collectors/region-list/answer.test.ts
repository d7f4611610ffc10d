import { describe, expect, it } from 'vitest';
import { readRegions } from '../../../../src/collectors/region-list/answer.ts';

const read = (fields: object) => readRegions({ fields, requestId: 'b2da6ace' });
const row = (Region: string, RegionState: unknown = 'AVAILABLE') => ({
  Region,
  RegionName: 'x',
  RegionState,
});

describe('an answer', () => {
  it('contains the available regions', () => {
    const RegionSet = [row('ap-seoul'), row('ap-x', 'UNAVAILABLE'), row('ap-shanghai-fsi')];

    expect(read({ TotalCount: 3, RegionSet })).toEqual({
      snapshot: {
        kind: 'region-list',
        appId: null,
        regions: ['ap-seoul', 'ap-shanghai-fsi'],
        unidentified: 0,
        missing: [],
      },
      anomalies: [],
    });
  });

  it.each([null, 7, undefined])(
    'with the state %j contains the region: it may be available',
    (state) => {
      const RegionSet = [{ Region: 'ap-seoul', RegionState: state }];

      expect(read({ TotalCount: 1, RegionSet }).snapshot.regions).toEqual(['ap-seoul']);
    },
  );

  it.each([
    ...[{}, null, row('AP-seoul'), row('../x'), row('a'), row(`ap-${'x'.repeat(80)}`)],
    ...[row('../ap-seoul'), row('ap-seoul/..')],
  ])('with the row %j has an unidentified region', (odd) => {
    const { snapshot, anomalies } = read({ TotalCount: 2, RegionSet: [row('ap-seoul'), odd] });

    expect(snapshot).toMatchObject({ regions: ['ap-seoul'], unidentified: 1 });
    expect(snapshot.missing).toEqual([expect.stringContaining('RegionSet[1]')]);
    expect(anomalies.map(({ kind }) => kind)).toEqual(['invalid-row']);
  });

  it('with fewer rows than its total has unidentified regions', () => {
    const { snapshot, anomalies } = read({ TotalCount: 3, RegionSet: [row('ap-seoul')] });

    expect(snapshot.unidentified).toBe(2);
    expect(snapshot.missing).toHaveLength(1);
    expect(anomalies.map(({ kind }) => kind)).toEqual(['total-count-mismatch']);
  });

  it.each([
    {},
    { TotalCount: 0, RegionSet: [] },
    { TotalCount: 1, RegionSet: [row('ap-seoul', 'UNAVAILABLE')] },
    { TotalCount: 1, RegionSet: [{}] },
    { TotalCount: 1, RegionSet: 'all' },
  ])('without an available region fails: %j', (fields) => {
    expect(() => read(fields)).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { quotaFilters } from '../../../../src/collectors/quota/request.ts';
import { quotaTypes, type QuotaSelection } from '../../../../src/collectors/quota/selection.ts';

describe('the filters', () => {
  it('are absent when everything is selected', () => {
    expect(quotaFilters({ quotaTypes, zones: null })).toEqual([]);
  });

  it('ask for a part of the types', () => {
    const selection: QuotaSelection = {
      quotaTypes: ['postpaid', 'prepaid', 'spotpaid', 'disaster_recover_group'],
      zones: null,
    };

    expect(quotaFilters(selection)).toEqual([
      ['Filters.0.Name', 'quota-type'],
      ['Filters.0.Values.0', 'PostPaidQuotaSet'],
      ['Filters.0.Values.1', 'PrePaidQuotaSet'],
      ['Filters.0.Values.2', 'SpotPaidQuotaSet'],
      ['Filters.0.Values.3', 'DisasterRecoverGroupQuotaSet'],
    ]);
  });

  it('do not ask for images, which the specification does not allow as a value', () => {
    expect(quotaFilters({ quotaTypes: ['postpaid', 'image'], zones: null })).toEqual([]);
  });

  it('ask for zones together with types', () => {
    expect(quotaFilters({ quotaTypes: ['spotpaid'], zones: ['z-1', 'z-2'] })).toEqual([
      ['Filters.0.Name', 'zone'],
      ['Filters.0.Values.0', 'z-1'],
      ['Filters.0.Values.1', 'z-2'],
      ['Filters.1.Name', 'quota-type'],
      ['Filters.1.Values.0', 'SpotPaidQuotaSet'],
    ]);
  });

  it('ask for up to 5 zones', () => {
    const zones = ['z-1', 'z-2', 'z-3', 'z-4', 'z-5'];

    expect(quotaFilters({ quotaTypes: ['prepaid'], zones })).toContainEqual([
      'Filters.0.Values.4',
      'z-5',
    ]);
  });

  it.each<[string, QuotaSelection]>([
    [
      'more than 5 are selected',
      { quotaTypes: ['prepaid'], zones: ['z-1', 'z-2', 'z-3', 'z-4', 'z-5', 'z-6'] },
    ],
    [
      'a quota of the region is selected, which they might hide',
      { quotaTypes: ['prepaid', 'disaster_recover_group'], zones: ['z-1'] },
    ],
    ['none is selected', { quotaTypes: ['prepaid'], zones: [] }],
  ])('do not ask for zones when %s', (_when, selection) => {
    expect(quotaFilters(selection)).not.toContainEqual(['Filters.0.Name', 'zone']);
  });
});

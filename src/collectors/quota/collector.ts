/** The quotas of an account in a region: DescribeAccountQuota. */
import { z } from 'zod';
import { countLimitsFromZero, limitChangeTexts } from '../../model/limit-history.ts';
import { defineCollector } from '../collector.ts';
import { cvm } from '../services.ts';
import { pollQuotas } from './poll.ts';
import { compareQuotas } from './compare.ts';
import { quotaAccountKeys, quotaRegionKeys, zoneProblems } from './configuration.ts';
import { quotaFamilies, quotaSources } from './families.ts';
import { quotaJson } from './json.ts';
import {
  continueQuotaRecord,
  forgetAccount,
  neverAnsweredZones,
  newQuotaRecord,
  presentLimits,
  type QuotaRecord,
  type QuotaSnapshot,
} from './record.ts';
import { storedQuotaRecord } from './stored.ts';
import { quotaOperation, quotaTypes, zonalQuotaTypes, type QuotaTarget } from './target.ts';

export const quotaCollector = defineCollector({
  kind: 'quota',
  operation: quotaOperation,
  service: cvm,
  noun: 'quotas',
  resourceLabels: [],
  configuration: {
    account: quotaAccountKeys,
    region: quotaRegionKeys,
    everyRegion: z.object({}),
    nothing: 'quota_types is empty',
  },
  regionProblems: zoneProblems,
  actions: [`name/${cvm.service}:${quotaOperation}`],
  changeTexts: {
    ...limitChangeTexts,
    'zone-appeared': ({ to }) => `zone ${to ?? ''} appeared`,
    'zone-disappeared': ({ from }) => `zone ${from ?? ''} disappeared`,
  },
  isTarget: (target): target is QuotaTarget => target.operation === quotaOperation,
  isSnapshot: (snapshot): snapshot is QuotaSnapshot => snapshot.kind === 'quota',
  isRecord: (record): record is QuotaRecord => record.kind === 'quota',
  plan: ({ account, region, accountKeys, regionKeys }): QuotaTarget[] => {
    const types = quotaTypes.filter((type) => accountKeys.quota_types.includes(type));
    const selection = {
      // Most accounts watch all types. Memory then holds one list for all targets.
      quotaTypes: types.length === quotaTypes.length ? quotaTypes : types,
      zones: regionKeys.zones ?? null,
    };
    return types.length === 0 ? [] : [{ account, region, operation: quotaOperation, selection }];
  },
  details: ({ selection: { zones } }) => (zones === null ? '' : `zones ${zones.join(', ')}`),
  poll: pollQuotas,
  newRecord: newQuotaRecord,
  continueRecord: continueQuotaRecord,
  countFromZero: (record) => ({ ...record, limits: countLimitsFromZero(record.limits) }),
  forget: forgetAccount,
  compare: compareQuotas,
  stored: storedQuotaRecord,
  families: quotaFamilies,
  quotaReport: {
    quotas: ({ snapshot }) => snapshot?.quotas ?? [],
    reportable: ({ selection: { quotaTypes: types, zones } }) =>
      types.map((type) => ({ type, zones: zonalQuotaTypes.has(type) ? zones : [] })),
    limits: presentLimits,
    note: ({ type }) => (type === 'prepaid' ? 'used this month' : ''),
    sources: quotaSources,
  },
  neverAnswered: neverAnsweredZones,
  json: quotaJson,
});

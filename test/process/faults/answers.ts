/** The service answers, but not with what it should: no JSON, the wrong shape, wrong rows. */
import { edited, instead } from '../../support/gateway.ts';
import { gateway, rule, type Fault } from './fault.ts';

const invalid = { code: 'InvalidResponse', requests: 1 };
/** As often as a broken connection. */
const unparsable = { code: 'InvalidResponse', requests: 3 };

/** Edits the row of ap-guangzhou-3 in the set of postpaid quotas. */
// oxlint-disable-next-line typescript/no-explicit-any
const postpaidRow = (edit: (row: any) => void) =>
  edited((fields) => {
    edit(fields.AccountQuotaOverview.AccountQuota.PostPaidQuotaSet[0]);
  });

/** The gauges go with what cannot be read; the counters and times of changes stay. */
const isGauge = (line: string) => !/^cvm_quota_(limit_change|disappeared)/.test(line);

const isOfPostpaidRow = (line: string) =>
  isGauge(line) && line.includes('zone="ap-guangzhou-3",quota_type="postpaid"');

const wrongRow = { code: null, anomalies: { 'invalid-row': 1 }, isGone: isOfPostpaidRow };

export const answers: readonly Fault[] = [
  rule('bytes that are no JSON', { effect: 'garbage' }, unparsable),
  gateway('JSON that is null', instead('null'), invalid),
  gateway('JSON of another API', instead('{"status":"ok","data":{}}'), invalid),
  gateway('a Response of null', instead('{"Response":null}'), invalid),
  gateway(
    'an error whose code is no code',
    instead('{"Response":{"Error":{"Code":"<b>no</b>","Message":"x"}}}'),
    { code: 'Other', requests: 1 },
  ),
  gateway(
    'no overview',
    edited((fields) => {
      delete fields.AccountQuotaOverview;
    }),
    invalid,
  ),
  rule(
    'every value of the wrong type',
    { effect: 'wrong-types' },
    {
      code: null,
      anomalies: { 'invalid-row': 8 },
      isGone: (line) => isGauge(line) && /^cvm_(quota|disaster|account_info)/.test(line),
    },
  ),
  gateway(
    'a number beyond every quota',
    postpaidRow((row) => {
      row.TotalQuota = 1e300;
    }),
    wrongRow,
  ),
  gateway(
    'a zone that is no name',
    postpaidRow((row) => {
      row.Zone = 'ap-guangzhou-3"} 1\nevil{x="';
    }),
    wrongRow,
  ),
  gateway(
    'a zone twice in a set: the first row counts',
    edited(({ AccountQuotaOverview }) => {
      const sets = AccountQuotaOverview.AccountQuota;
      const [first, ...others] = sets.PostPaidQuotaSet;
      sets.PostPaidQuotaSet = [first, ...others, { ...first, TotalQuota: 1 }];
    }),
    { code: null, anomalies: { 'duplicate-row': 1 } },
  ),
  gateway(
    'a zone that is gone from every set',
    edited(({ AccountQuotaOverview }) => {
      const sets = AccountQuotaOverview.AccountQuota as Record<string, { Zone?: string }[]>;
      for (const [name, rows] of Object.entries(sets)) {
        sets[name] = rows.filter((row) => row.Zone !== 'ap-guangzhou-3');
      }
    }),
    {
      code: null,
      anomalies: {},
      isGone: (line) => isGauge(line) && line.includes('zone="ap-guangzhou-3"'),
    },
  ),
  rule('a body of 100 MB', { effect: 'huge-body', size_bytes: 100_000_000 }, invalid),
  rule('a body of 1 GB in 1 MB of gzip', { effect: 'gzip-bomb' }, invalid),
];

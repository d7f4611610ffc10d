/**
 * DescribeAccountQuota (docs/service.md, sections 5.1 and 5.3). Chosen, because it is not published: at most
 * 10 filters with 5 values each. behaviour.ts says what filters do to sets that they do not name.
 */
import { filtersOf, refuseUnknown } from '../../protocol/parameters.ts';
import { quotaTypes } from '../../resources/quotas.ts';
import type { Operation } from '../operation.ts';
import { rowsOf } from './rows.ts';
import { selectionOf } from './selection.ts';
import { setNames } from './set-names.ts';

export const describeAccountQuota: Operation = (parameters, context) => {
  refuseUnknown(parameters, ['Filters']);
  const { account, region, behaviour } = context;
  const selection = selectionOf(filtersOf(parameters), region);
  const sets: Record<string, readonly object[] | null> = {};
  for (const type of quotaTypes) {
    const rows = selection.types.has(type) ? rowsOf(type, selection, context) : null;
    if (rows !== null) sets[setNames[type]] = rows;
    else if (behaviour.unselectedQuotaSets === 'null') sets[setNames[type]] = null;
    else if (behaviour.unselectedQuotaSets === 'empty') sets[setNames[type]] = [];
  }
  return {
    AppId: account.appId,
    AccountQuotaOverview: { Region: region.name, AccountQuota: sets },
  };
};

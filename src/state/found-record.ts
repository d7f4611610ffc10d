import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../logging/logger.ts';
import type { Taken } from '../model/advance.ts';
import { catchUp } from '../model/catch-up.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';

/**
 * Decides between a record that this process has shown and another one that appeared in its file. If this
 * process has counted changes, its own record stays. Else the other one is continued, with its counters
 * from 0, because 0 was shown.
 */
export function continueFound(
  found: TargetRecord,
  taken: Taken,
  { collectors, logger }: { readonly collectors: CollectorSet; readonly logger: Logger },
): Taken {
  const {
    target,
    counted: { recentChanges },
  } = taken.record;
  const isContinued = recentChanges.length === 0;
  logger.error('a stored record appeared that was not known', {
    target: targetKey(target),
    continued: isContinued,
  });
  const rules = collectors.of(target);
  if (!isContinued) return taken;
  return { before: found, ...catchUp(found, taken.record, rules) };
}

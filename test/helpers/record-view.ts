/** A fresh record without thresholds and labels, as families show it. A test sets the relevant fields. */
import type { RecordView } from '../../src/model/metric-family.ts';
import type { TargetRecord } from '../../src/model/record.ts';

export function viewOf(record: TargetRecord, fields: Partial<RecordView> = {}): RecordView {
  return {
    record,
    isFresh: true,
    isUp: true,
    thresholdsOf: () => null,
    accountLabels: {},
    ...fields,
  };
}

/** The records of the model: a value of the service, and how often it was seen to change. */
import type { CollectorSet } from '../../../src/collectors/collector-set.ts';
import { newCounted, newSeen, type Counted, type TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';

export const account = 'production';

export const targets: readonly Target[] = ['a', 'b'].map((region) => ({
  account,
  region,
  operation: 'Model',
}));

interface ModelCounted extends Counted {
  readonly value: number | null;
  readonly count: number;
}

type ModelRecord = TargetRecord<ModelCounted>;

function newModelRecord(target: Target): ModelRecord {
  const counted = { ...newCounted, value: null, count: 0 };
  return { kind: 'model', target, counted, seen: newSeen };
}

export function modelRecord(record: TargetRecord | undefined): ModelRecord {
  return record as ModelRecord;
}

export function textRecord(text: string): ModelRecord {
  return (JSON.parse(text) as { record: ModelRecord }).record;
}

/** The record after an answer of the service. */
export function withValue(record: TargetRecord, value: number): ModelRecord {
  const { counted } = modelRecord(record);
  if (counted.value === value) return modelRecord(record);
  const count = counted.count + (counted.value === null ? 0 : 1);
  return { ...modelRecord(record), counted: { ...counted, value, count } };
}

const rules = {
  newRecord: newModelRecord,
  continueRecord: (record: TargetRecord, target: Target) => ({ ...record, target }),
  stored: { safeParse: (data: unknown) => ({ success: true, data }) },
};

export const modelCollectors = { of: () => rules, knows: () => true } as unknown as CollectorSet;

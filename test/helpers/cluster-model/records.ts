/** The records of the model: a value of the service, and how often it was seen to change. */
import type { CollectorSet } from '../../../src/collectors/collector-set.ts';
import { newCounted, newSeen, type TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';

export const account = 'production';

export const targets: readonly Target[] = ['a', 'b'].map((region) => ({
  account,
  region,
  operation: 'Model',
}));

export interface ModelRecord extends TargetRecord {
  readonly value: number | null;
  readonly count: number;
}

function newModelRecord(target: Target): ModelRecord {
  return { kind: 'model', target, counted: newCounted, seen: newSeen, value: null, count: 0 };
}

export function modelRecord(record: TargetRecord | undefined): ModelRecord {
  return record as ModelRecord;
}

export function textRecord(text: string): ModelRecord {
  return (JSON.parse(text) as { record: ModelRecord }).record;
}

/** The record after an answer of the service. */
export function withValue(record: TargetRecord, value: number): ModelRecord {
  const before = modelRecord(record);
  const isChanged = before.value !== null && before.value !== value;
  return { ...before, value, count: before.count + (isChanged ? 1 : 0) };
}

const rules = {
  newRecord: newModelRecord,
  continueRecord: (record: TargetRecord, target: Target) => ({ ...record, target }),
  stored: { safeParse: (data: unknown) => ({ success: true, data }) },
};

export const modelCollectors = { of: () => rules, knows: () => true } as unknown as CollectorSet;

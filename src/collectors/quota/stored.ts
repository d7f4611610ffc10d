/** The schema of a stored record of quotas. */
import { z } from 'zod';
import { quotaKey } from '../../model/quota.ts';
import {
  count,
  inventoryFields,
  limitFields,
  countedFields,
  seenOf,
  snapshotFields,
  target,
  text,
  zone,
} from '../stored-fields.ts';
import type { QuotaRecord } from './record.ts';
import { quotaOperation, quotaTypes } from './target.ts';

const amount = z.number();
const limit = z.number().nonnegative();

const selection = z.object({
  quotaTypes: z.array(z.enum(quotaTypes)),
  zones: z.array(text).nullable(),
});

/** Refuses a record with the same quota twice: its series would be exposed twice. */
const isUnique = (quotas: readonly Parameters<typeof quotaKey>[0][]) =>
  new Set(quotas.map(quotaKey)).size === quotas.length;

const type = z.enum(quotaTypes);
const quota = { type, zone, unit: text };

export const storedQuotaRecord: z.ZodType<QuotaRecord> = z.object({
  kind: z.literal('quota'),
  target: target.extend({ operation: z.literal(quotaOperation), selection }),
  counted: z.object({
    ...countedFields,
    inventory: z
      .object({ selection, types: z.array(z.object({ type, ...inventoryFields(text) })) })
      .nullable(),
    limits: z.array(z.object({ ...quota, ...limitFields })).refine(isUnique),
  }),
  seen: seenOf(
    z.object({
      kind: z.literal('quota'),
      ...snapshotFields,
      selection,
      quotas: z
        .array(
          z.object({
            ...quota,
            used: limit,
            remaining: amount,
            limit,
            onceLimit: limit.nullable(),
          }),
        )
        .refine(isUnique),
      groupInstanceLimits: z
        .object({ host: limit.nullable(), switch: limit.nullable(), rack: limit.nullable() })
        .nullable(),
      rows: z.array(z.object({ type, names: z.array(text), unidentified: count })),
    }),
  ),
});

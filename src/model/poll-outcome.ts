/**
 * The results of a poll: the snapshot of a success, with its anomalies, or a failure with a code. Collectors return a
 * `PollAnswer`, `poll/poll-target.ts` makes the outcome of it, and `advance()` the next record.
 */
import { z } from 'zod';
import { CodedError } from './coded-error.ts';
import { messageOf } from './errors.ts';
import { quotaSchema, uniqueQuotas, type Quota } from './quota.ts';
import { count, text, type Stored } from './stored.ts';

/** The fields of the snapshots of every kind. */
const snapshotFields = {
  /** The account's number at the service. `null` or absent if the answer does not contain it. */
  appId: count.nullish(),
  /**
   * The missing parts of the answer, as short sentences for people. Empty for a complete answer. A missing part
   * is unknown: it causes no change, and it is never shown as fine. A poll adds what its anomalies left out.
   */
  missing: z.array(text),
  /** The last known numbers of quotas whose numbers the answer lacks. `advance` adds them. Absent: none. */
  lastKnown: uniqueQuotas(quotaSchema).optional(),
};

/** The last answer of the service about a target. The snapshots of a collector add the data. */
export interface Snapshot extends Stored<z.ZodObject<typeof snapshotFields>> {
  /** The quotas, which are compared. Absent for a kind whose answers have none. */
  readonly quotas?: readonly Quota[];
}

/** The schema of the snapshots of a kind: its fields, and those of every {@link Snapshot}. */
export const snapshotSchema = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({ ...snapshotFields, ...fields });

export const anomalyKinds = [
  'invalid-set',
  'invalid-row',
  'duplicate-row',
  'multiple-defaults',
  'no-default',
  'total-count-mismatch',
] as const;
/** Why a part of an otherwise valid answer was left out: the label of the metric of anomalies. */
export type AnomalyKind = (typeof anomalyKinds)[number];

/** A part of an answer that was left out because it is invalid. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** The part and the reason: what the snapshot lacks. Empty for one that no record will name. */
  readonly detail: string;
  /** True: counted, but the snapshot stays complete. Default: false. */
  readonly isHarmless?: boolean;
}

/** A successful answer to a poll. */
export interface PollAnswer<S extends Snapshot = Snapshot> {
  readonly snapshot: S;
  readonly anomalies: readonly Anomaly[];
}

/** What the poller gives a poll: when it must end, and what its requests wait for. */
export interface PollContext {
  /** Aborted when polling stops. Everything in progress then ends at once. */
  readonly signal: AbortSignal;
  /** No retry may begin after this time. Milliseconds since the Unix epoch. */
  readonly deadlineMs: number;
  /** Called right before each request is sent. Throws when it must not be sent any more. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface PollSuccess extends PollAnswer {
  readonly ok: true;
  readonly durationMs: number;
}

/** A poll that threw, by {@link failureOf}. `code` is never free text. */
export interface PollFailure extends Pick<CodedError, 'code' | 'message' | 'requestId'> {
  readonly ok: false;
  readonly durationMs: number;
}

/** The failure of a poll that threw. An error without a code is a bug of this program in reading the answer. */
export function failureOf(error: unknown, durationMs: number): PollFailure {
  const fault = new CodedError('InvalidResponse', messageOf(error));
  const { code, message, requestId } = error instanceof CodedError ? error : fault;
  return { ok: false, code, message, requestId, durationMs };
}

/** The result of polling a target once. */
export type PollOutcome = PollSuccess | PollFailure;

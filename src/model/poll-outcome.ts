import type { Snapshot } from './snapshot.ts';

export const anomalyKinds = [
  'invalid-set',
  'invalid-row',
  'duplicate-row',
  'too-many-rows',
  'multiple-defaults',
  'no-default',
  'total-count-mismatch',
] as const;
/** The kinds of invalid parts in an otherwise valid answer. */
export type AnomalyKind = (typeof anomalyKinds)[number];

/** A part of an answer that was left out because it is invalid. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** The part and the reason, for the log. */
  readonly detail: string;
}

/** A successful answer to a poll. */
export interface PollAnswer<S extends Snapshot = Snapshot> {
  readonly snapshot: S;
  readonly anomalies: readonly Anomaly[];
}

/** The bounds of one poll. */
export interface PollContext {
  /** Aborted when polling stops. Everything in progress then ends at once. */
  readonly signal: AbortSignal;
  /** No retry may begin after this time. Milliseconds since the Unix epoch. */
  readonly deadlineMs: number;
  /** Called right before each request is sent. Throws when it must not be sent any more. */
  readonly beforeSend?: (() => void) | undefined;
}

interface PollTiming {
  readonly durationMs: number;
}

export interface PollSuccess extends PollTiming, PollAnswer {
  readonly ok: true;
}

export interface PollFailure extends PollTiming {
  readonly ok: false;
  /** The service's error code or one of ours; never free text. */
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
}

/** The result of polling a target once. */
export type PollOutcome = PollSuccess | PollFailure;

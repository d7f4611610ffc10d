/** An answer of each operation in which every field is readable, and what is read of it: `fixtures/collectors/fields.yaml`. */
import type { Target } from '../../src/model/target.ts';
import { fixtureOf } from './rows.ts';

interface Field {
  readonly field: string;
  readonly reads: string;
  readonly present: unknown;
  readonly absent: unknown;
  readonly unreadable: unknown;
  readonly odd: readonly unknown[];
}

interface KnownAnswer {
  readonly operation: string;
  /** What tells the target from others of its operation. */
  readonly target: object;
  readonly answer: object;
  readonly under?: string;
  readonly fields?: readonly Field[];
  readonly json?: object;
}

export const knownAnswers = fixtureOf<readonly KnownAnswer[]>('collectors/fields');

/** The one of each operation that says what is in JSON. */
export const answerByOperation: ReadonlyMap<string, KnownAnswer> = new Map(
  knownAnswers.flatMap((each) => (each.json ? [[each.operation, each]] : [])),
);

export const targetOf = ({ operation, target }: KnownAnswer, more: object = {}): Target => ({
  ...{ account: 'production', region: 'ap-guangzhou', operation },
  ...{ ...target, ...more },
});

/** The shipped alert rules, and the cases that say when they fire. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../docs/markdown.ts';

export const rulesPath = join(repository, 'config/prometheus/rules.yaml');

type Labels = Readonly<Record<string, string>>;

/** A line, or the labels of what it is about, with its values. The head of the file says what each is. */
export type RuleSeries =
  | string
  | ({ readonly each: number; readonly from?: number } & object)
  | ({ readonly quota: string } & Partial<
      Record<'remaining' | 'used' | 'limit' | 'warning' | 'critical', string>
    >)
  | { readonly changes: string; readonly total: string; readonly time: string }
  | {
      readonly failing: string;
      readonly since: number;
      readonly code: string;
      readonly until?: number;
    }
  | { readonly stale: string; readonly at: number }
  | { readonly watched: string; readonly team: string; readonly values?: string };

export interface AlertText {
  readonly at: string;
  readonly alert: string;
  readonly labels: Labels;
  readonly summary: string;
  readonly description: string;
}

export interface RuleCase {
  readonly case: string;
  readonly series: readonly RuleSeries[];
  readonly expect?: readonly (readonly [time: string, alertname: string, ...labels: string[]])[];
  readonly text?: AlertText;
  readonly isWatched?: boolean;
  readonly interval?: string;
  readonly isDoubled?: boolean;
}

const casesPath = join(import.meta.dirname, '../fixtures/prometheus/rule-cases.yaml');
export const ruleCases = parse(readFileSync(casesPath, 'utf8')) as readonly RuleCase[];

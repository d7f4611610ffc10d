/** The rules of faults: which fault, when, and for which requests. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { inCode, type InCode } from '../input/words.ts';
import { operationName } from '../protocol/operation-names.ts';
import type { FaultRuleScenario } from './fault-rule-scenario.ts';

const latency = z.union(
  [
    duration({ max: '10m' }).transform((ms) => ({ min: ms, max: ms })),
    z.strictObject({
      min: duration({ max: '10m' }).describe('the least'),
      max: duration({ max: '10m' }).describe('the most'),
    }),
  ],
  { error: 'expected a duration such as 700ms, or a map with min and max' },
);

/** What every rule may say, whatever its effect. */
export const ruleBase = {
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('under which the rule can be cleared; given by the emulator when absent'),
  operation: operationName.optional().describe('every operation when absent'),
  account: z.string().optional().describe('every account when absent'),
  region: z.string().optional().describe('every region when absent'),
  probability: z.number().min(0).max(1).default(1).describe('how likely it strikes a request'),
  count: z.int().min(1).optional().describe('how often it strikes; without end when absent'),
  from: duration().prefault('0s').describe('since the start of the scenario'),
  until: duration().optional().describe('since the start of the scenario'),
  repeats: z
    .boolean()
    .default(false)
    .describe('whether `from` and `until` count from the start of each round of the timeline'),
  latency: latency
    .optional()
    .describe('how long the answer is held back: a duration, or min and max of a random one'),
};

const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, { error: 'expected one line of ASCII' });
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, { error: 'expected a header such as Retry-After' })
  .refine((name) => !/^(content-length|transfer-encoding|connection)$/i.test(name), {
    error: 'cannot be set here: the connection sets it',
  });

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const bodyBytes = z.int().min(1).max(2_000_000_000);

/**
 * A rule. The latencies of all rules for a request are added. The first rule with an effect other than
 * `latency` decides the answer.
 */
const ruleShape = z.discriminatedUnion('effect', [
  z.strictObject({ ...ruleBase, effect: z.literal('latency').describe('the answer, later') }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('error').describe('the envelope of an error'),
    code: z
      .string()
      .max(100)
      .regex(/^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/, {
        error: 'expected a code such as InternalError',
      })
      .describe('the code of the error, whether the service has it or not'),
    message: z.string().max(1000).optional().describe('the text of the code when absent'),
  }),
  z
    .strictObject({
      ...ruleBase,
      effect: z.literal('http-status').describe('another HTTP status, as of a gateway'),
      status: z.int().min(200).max(599).describe('the HTTP status'),
      body: z.string().optional().describe('an HTML page when absent'),
      content_type: headerValue.default('text/html').describe('the type of the body'),
      headers: z
        .record(headerName, headerValue)
        .default({})
        .describe('further headers, such as Retry-After'),
    })
    .transform(({ headers, ...rule }) => ({ ...rule, headers: lowerCaseNames(headers) })),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('connection-reset').describe('the connection is reset without an answer'),
  }),
  z.strictObject({ ...ruleBase, effect: z.literal('hang').describe('never answers') }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('truncated-body').describe('half of the answer, then the end'),
  }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('slow-body').describe('the answer, a little at a time'),
    duration: duration({ max: '10m' }).prefault('10s').describe('how long the body takes'),
  }),
  z.strictObject({ ...ruleBase, effect: z.literal('garbage').describe('no JSON') }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('wrong-types').describe('the answer with the type of every value wrong'),
  }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('gzip-bomb').describe('a small body that unpacks to a huge one'),
    size_bytes: bodyBytes.default(1_000_000_000).describe('what it unpacks to'),
  }),
  z.strictObject({
    ...ruleBase,
    effect: z.literal('huge-body').describe('a huge body'),
    size_bytes: bodyBytes.default(100_000_000).describe('how large it is'),
  }),
]);

/** A rule from a scenario, with the names and units that code uses. */
export const faultRuleSchema = inCode(ruleShape).meta({
  id: 'FaultRuleScenario',
  description: 'A rule as written in a scenario or sent to the control API. Durations are texts.',
});

export type FaultRule = z.output<typeof faultRuleSchema>;

/** A rule as code passes it. Times are in milliseconds, and the names say so. */
export type FaultRuleInput = InCode<FaultRuleScenario>;

/**
 * The schema of a fault rule: which fault, when, and for which requests. Scenarios list such rules, and the control
 * API adds them. `service/faults.ts` applies them.
 */
import { z } from 'zod';
import { durationText, msOf } from '../../validation/duration.ts';
import { matching, optional } from './schema-parts.ts';
import { operationName, templateId } from './vocabulary.ts';

const delay = durationText({ max: '10m' });
const latency = delay.describe('how much later the answer comes');

/** The fields that a rule of any effect has. */
const rule = z.strictObject({
  operation: operationName.optional().describe('every operation when absent'),
  account: z.string().optional().describe('every account when absent'),
  region: z.string().optional().describe('every region when absent'),
  template_id: optional(templateId, 'only requests for its versions, or for a price of one'),
  probability: z.number().min(0).max(1).default(1).describe('chance that it applies to a request'),
  count: z.int().min(1).optional().describe('requests after which it stops; never when absent'),
  from: durationText().default('0s').describe('begins this long after the start of the scenario'),
  until: durationText().optional().describe('ends this long after the start of the scenario'),
  latency: latency.optional(),
});

const headerValue = matching(/^[\t\x20-\x7e]*$/, 'one line of ASCII');

const effect = <Name extends string>(name: Name, does: string) => z.literal(name).describe(does);

/**
 * A rule. The first rule with an effect other than `latency` decides the answer of a request, and ends the search:
 * later rules are not applied. The latencies of the rules up to this one, itself included, are added.
 */
export const faultSchema = z
  .discriminatedUnion('effect', [
    rule.extend({ effect: effect('latency', 'the answer, later'), latency }),
    rule.extend({
      effect: effect('error', 'the envelope of an error'),
      code: matching(/^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/, 'a code such as InternalError')
        .max(100)
        .describe('the code of the error, whether the service has it or not'),
      message: z.string().max(1000).optional().describe('the text of the code when absent'),
    }),
    rule.extend({
      effect: effect('http-status', 'another HTTP status, as of a gateway'),
      status: z.int().min(200).max(599).describe('the HTTP status'),
      body: z.string().optional().describe('an HTML page when absent'),
      content_type: headerValue.default('text/html').describe('the type of the body'),
    }),
    rule.extend({
      effect: effect('connection-reset', 'the connection is reset without an answer'),
    }),
    rule.extend({ effect: effect('hang', 'never answers') }),
    rule.extend({ effect: effect('truncated-body', 'half of the answer, then the end') }),
    rule.extend({
      effect: effect('slow-body', 'the answer, a little at a time'),
      duration: delay.default('10s').describe('how long the body takes'),
    }),
  ])
  .refine(({ from, until }) => until === undefined || msOf(until) > msOf(from), {
    path: ['until'],
    error: 'must be after `from`',
  })
  .meta({ id: 'Fault' });

/** A rule as its author writes it: fields with a default may be absent. */
export type FaultRuleInput = z.input<typeof faultSchema>;
export type FaultRule = z.output<typeof faultSchema>;

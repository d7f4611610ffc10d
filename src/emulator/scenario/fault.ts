/**
 * The schema of a fault rule: which fault, when, and for which requests. Scenarios list such rules, and the control
 * API adds them. `service/faults.ts` applies them.
 */
import { z } from 'zod';
import { durationText, msOf } from '../../validation/duration.ts';
import { matching, addIssue, optional } from './schema-parts.ts';
import { operationName, templateId } from './vocabulary.ts';

const delay = durationText({ max: '10m' });
const latency = delay.describe('how much later the answer comes');

/** The fields that a rule of any effect has. */
const commonFields = {
  operation: operationName.optional().describe('every operation when absent'),
  account: z.string().optional().describe('every account when absent'),
  region: z.string().optional().describe('every region when absent'),
  template_id: optional(templateId, 'only requests for its versions, or for a price of one'),
  probability: z.number().min(0).max(1).default(1).describe('chance that it applies to a request'),
  count: z.int().min(1).optional().describe('requests after which it stops; never when absent'),
  from: durationText().default('0s').describe('begins this long after the start of the scenario'),
  until: durationText().optional().describe('ends this long after the start of the scenario'),
  latency: latency.optional(),
};

const headerValue = matching(/^[\t\x20-\x7e]*$/, 'one line of ASCII');

function effect<Name extends string, S extends z.ZodRawShape>(name: Name, does: string, fields: S) {
  return z.strictObject({ ...commonFields, effect: z.literal(name).describe(does) }).extend(fields);
}

/**
 * A rule. The first rule with an effect other than `latency` decides the answer of a request, and ends the search:
 * later rules are not applied. The latencies of the rules up to this one, itself included, are added.
 */
export const faultSchema = z
  .discriminatedUnion('effect', [
    effect('latency', 'the answer, later', { latency }),
    effect('error', 'the envelope of an error', {
      code: matching(/^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/, 'a code such as InternalError')
        .max(100)
        .describe('the code of the error, whether the service has it or not'),
      message: z.string().max(1000).optional().describe('the text of the code when absent'),
    }),
    effect('http-status', 'another HTTP status, as of a gateway', {
      status: z.int().min(200).max(599).describe('the HTTP status'),
      body: z.string().optional().describe('an HTML page when absent'),
      content_type: headerValue.default('text/html').describe('the type of the body'),
    }),
    effect('connection-reset', 'the connection is reset without an answer', {}),
    effect('hang', 'never answers', {}),
    effect('truncated-body', 'half of the answer, then the end', {}),
    effect('slow-body', 'the answer, a little at a time', {
      duration: delay.default('10s').describe('how long the body takes'),
    }),
  ])
  .superRefine(({ from, until }, context) => {
    if (until !== undefined && msOf(until) <= msOf(from)) {
      addIssue(context, ['until'], 'must be after `from`');
    }
  })
  .meta({ id: 'Fault' });

/** A rule as its author writes it: fields with a default may be absent. */
export type FaultRuleInput = z.input<typeof faultSchema>;
export type FaultRule = z.output<typeof faultSchema>;

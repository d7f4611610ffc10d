/**
 * The schema of a scenario: the initial state, the timeline and the faults. `state/read-scenario.ts` adds the checks
 * of references; `config/scenario.schema.json` is generated from it.
 */
import { z } from 'zod';
import { durationPattern, durationText } from '../../validation/duration.ts';
import { accountSchema } from './account.ts';
import { timelineEntrySchema } from './action.ts';
import { faultSchema } from './fault.ts';
import { choice, listOf, matching, optional, refuseRepeated } from './schema-parts.ts';
import { operationNames } from './vocabulary.ts';

/**
 * Settings for behaviour that the service does not publish. A scenario can select another behaviour, so that
 * a client can be tested with every plausible service (docs/service.md, sections 5, 6 and 16).
 */
const behaviour = z.strictObject({
  unselected_quota_sets: choice(['empty', 'absent', 'null'], 'what quota-type does not name'),
  zone_filter_keeps_regional_sets: z
    .boolean()
    .default(true)
    .describe('whether ImageQuotaSet and DisasterRecoverGroupQuotaSet survive a zone filter'),
  version_order: choice(['newest-first', 'oldest-first'], 'how LaunchTemplateVersionSet is sorted'),
  version_range: choice(['inclusive', 'exclusive'], 'MinVersion and MaxVersion themselves'),
  total_count: choice(['selected', 'all'], 'which versions TotalCount counts'),
});

/** A duration, or one with a minus sign. */
const skewPattern = new RegExp(durationPattern.source.replace('^', '^-?'));
const perSecond = z.int().min(1).max(1_000_000);

export const scenarioSchema = z.strictObject({
  site: choice(
    ['domestic', 'international'],
    'international: no DescribeAccountQuota, and fewer fields and filters of stock',
  ),
  requests_per_second: z
    .union([perSecond, z.partialRecord(z.enum(operationNames), perSecond)], {
      error: 'expected a number, or a map of operations',
    })
    .default({})
    .describe(
      'per operation, key and gateway; more get RequestLimitExceeded. A number is for all operations; without it 20, 10 for DescribeDisasterRecoverGroups and InquiryPriceRunInstances, 40 for DescribeAutoScalingGroups and DescribeZoneInstanceConfigInfos, 100 for DescribeSubnets',
    ),
  clock_skew: matching(skewPattern, 'a duration such as 6m or -6m')
    .default('0s')
    .describe('how far the clock of the service is ahead; -6m is behind'),
  behaviour: behaviour
    .prefault({})
    .describe('what the emulator does where the behaviour of the service is not published'),
  accounts: z
    .array(accountSchema)
    .superRefine(refuseRepeated(({ name }) => name))
    .min(1, { error: 'a scenario has at least one account' })
    .describe('the accounts; at most one has no keys'),
  machine: z
    .strictObject({
      account: z.string().optional().describe('the account of the role; the first when absent'),
      role: z.string().min(1).describe('the role that is bound to the machine'),
    })
    .optional()
    .describe('what the metadata service answers; no role is bound when absent'),
  timeline: listOf(timelineEntrySchema, 'what happens, and when'),
  timeline_repeats_every: optional(
    durationText({ min: '1s' }),
    'after this long the timeline begins again; the state stays as it is',
  ),
  faults: listOf(faultSchema, 'what goes wrong, when, and for whom'),
});

/** A scenario as its author writes it: keys with a default may be absent. */
export type ScenarioInput = z.input<typeof scenarioSchema>;
export type Scenario = z.output<typeof scenarioSchema>;

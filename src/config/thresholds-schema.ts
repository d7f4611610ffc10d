/** The schema of `thresholds` in the configuration, and the function that turns it into the `Thresholds` of the model. */
import { z } from 'zod';
import {
  launchTemplateId,
  regionName,
  nonEmptyNames,
  placementGroupId,
  scalingGroupId,
  subnetId,
  zoneName,
} from '../collectors/keys.ts';
import { chargeTypes } from '../model/launches/launch.ts';
import {
  isCriticalAboveWarning,
  parseThreshold,
  type Threshold,
  type Thresholds,
} from '../model/thresholds.ts';
import { endOfDayMs } from '../schedule/local-days.ts';
import { always, isMap } from '../validation/always.ts';
import { shortName } from '../validation/text-schemas.ts';

const expectedForm =
  'expected a share such as 20%, or a whole number such as 5; a fraction such as 0.2 could mean either';

/** Each check aborts after a mistake: the value then stays as it is in the file, and is compared with no other threshold. */
const thresholdSchema = z
  .union(
    [
      z.string().regex(/^\d{1,3}(\.\d{1,2})?%$/, { error: expectedForm, abort: true }),
      z.int().min(0, { abort: true }),
    ],
    { error: expectedForm },
  )
  .transform((value, context) => {
    const parsed = parseThreshold(String(value));
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: 'must be at most 100%' });
    return z.NEVER;
  });

/** A key of an override: the names that it applies to. */
function namesFilter<Name extends z.ZodType<string>>(noun: string, name: Name) {
  return nonEmptyNames(noun, name).optional();
}

/** True for a threshold that was parsed. */
const isThreshold = (value: unknown): value is Threshold =>
  isMap(value) && ('count' in value || 'basisPoints' in value);

/** Whether the critical threshold is above the warning. False also if one of them is absent or has a mistake. */
function isPairInverted({ critical, warning }: Readonly<Record<string, unknown>>): boolean {
  const areParsed = isThreshold(critical) && isThreshold(warning);
  return areParsed && isCriticalAboveWarning({ critical, warning });
}

/** An override: `superRefine` of {@link thresholdsSchema} checks its keys together. */
const overrideSchema = (quotaTypes: readonly string[]) =>
  z.strictObject({
    accounts: namesFilter('account', shortName).describe(
      'The names of accounts it applies to. Default: all.',
    ),
    regions: namesFilter('region', regionName).describe('The regions it applies to. Default: all.'),
    zones: namesFilter('zone', zoneName).describe(
      'The zones it applies to. Default: all, and quotas of a whole region.',
    ),
    quota_types: namesFilter('quota type', z.enum(quotaTypes)).describe(
      'The quota types it applies to. Default: all.',
    ),
    launch_templates: namesFilter('launch template', launchTemplateId).describe(
      'The templates whose versions and launches it applies to. Default: all, and what has no template.',
    ),
    scaling_groups: namesFilter('scaling group', scalingGroupId).describe(
      'The scaling groups whose launches it applies to. Default: all, and what has no group.',
    ),
    subnets: namesFilter('subnet', subnetId).describe(
      'The subnets whose addresses and launches it applies to. Default: all, and what has no subnet.',
    ),
    placement_groups: namesFilter('placement group', placementGroupId).describe(
      'The placement groups whose instances and launches it applies to. Default: all, and what has no group.',
    ),
    charge_types: namesFilter('charge type', z.enum(chargeTypes)).describe(
      'The charge types of the launches and quotas it applies to. Default: all.',
    ),
    warning: thresholdSchema.optional().describe('Default: `thresholds.warning`.'),
    critical: thresholdSchema.optional().describe('Default: `thresholds.critical`.'),
    muted: z
      .boolean()
      .default(false)
      .describe('Whether the quotas have no thresholds, and the launches no alerts.'),
    until: z.iso
      .date({ error: 'expected a date such as 2026-12-31' })
      .optional()
      .describe('The last day of the override, in `poll.timezone`. Default: no end.'),
  });

/** @param quotaTypes the quota types that overrides can name */
export const thresholdsSchema = (quotaTypes: readonly string[]) =>
  z
    .strictObject({
      warning: thresholdSchema
        .prefault('20%')
        .describe(
          'A quota is low when less remains: a share of its limit such as 20%, or a count.',
        ),
      critical: thresholdSchema
        .prefault('10%')
        .describe('A quota is critical when less than this remains.'),
      overrides: z
        .array(overrideSchema(quotaTypes))
        .default([])
        .describe('Other thresholds for some quotas. The first override that applies counts.'),
    })
    .superRefine((thresholds: Readonly<Record<string, unknown>>, context) => {
      const { overrides, ...general } = thresholds;
      const refuse = (message: string, ...path: PropertyKey[]) => {
        context.addIssue({ code: 'custom', path, message });
      };
      if (isPairInverted(general)) refuse('is above warning', 'critical');
      for (const [i, override] of Array.isArray(overrides) ? overrides.entries() : []) {
        if (!isMap(override)) continue;
        const { critical, muted, warning } = override;
        const at = ['overrides', i];
        if (muted) {
          const message = 'a muted quota has no thresholds';
          if (warning !== undefined) refuse(message, ...at, 'warning');
          if (critical !== undefined) refuse(message, ...at, 'critical');
        } else if (warning === undefined && critical === undefined) {
          refuse('changes nothing: set warning, critical, or muted: true', ...at);
        } else if (isPairInverted({ ...general, ...override })) {
          const inherited = 'is below thresholds.critical, which applies too: set critical';
          if (critical === undefined) refuse(inherited, ...at, 'warning');
          else refuse('is above warning', ...at, 'critical');
        }
      }
    }, always);

/**
 * Makes the thresholds of the model from valid ones of the file: each override has both thresholds, or `null` if it is muted,
 * and its end as an instant, `Infinity` without `until`.
 *
 * @param timezone the time zone of the last days of overrides
 */
export function toThresholds(
  { overrides, ...general }: z.output<ReturnType<typeof thresholdsSchema>>,
  timezone: string,
): Thresholds {
  return {
    ...general,
    overrides: overrides.map(({ warning, critical, muted, until, ...filter }) => ({
      filter,
      thresholds: muted
        ? null
        : { warning: warning ?? general.warning, critical: critical ?? general.critical },
      untilMs: until === undefined ? Infinity : endOfDayMs(until, timezone),
    })),
  };
}

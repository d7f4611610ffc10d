/**
 * What all parts of a scenario share. The output of a schema has the words of the file: names in snake_case, and
 * durations as text. So what the emulator keeps is a scenario again.
 */
import { z } from 'zod';
import { explainable, explainIssues } from '../../validation/explain.ts';
import { durationPattern, parseDurationMs } from '../../validation/duration.ts';
import { formatPath } from '../../validation/problem.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);

/** A text of a form. `what` says in a mistake which one is expected. */
export function like(pattern: RegExp, what: string) {
  const error = `expected ${what}`;
  return z.string({ error }).regex(pattern, { error });
}

export const templateIdPattern = /^lt-[a-z0-9]{8,9}$/;
export const subnetIdPattern = /^subnet-[a-z0-9]{8}$/;
export const instanceTypePattern = /^[A-Z][A-Za-z0-9]*\.[A-Z0-9]+$/;
export const templateId = like(templateIdPattern, 'a template ID such as lt-b8v1kcyq');
export const subnetId = like(subnetIdPattern, 'a subnet ID such as subnet-bthucmmy');
export const instanceType = like(instanceTypePattern, 'an instance type such as S5.LARGE8');
export const regionName = like(/^[a-z0-9]+(-[a-z0-9]+)+$/, 'a region such as ap-guangzhou');
export const zoneName = like(/^[a-z0-9]+(-[a-z0-9]+)+-\d+$/, 'a zone such as ap-guangzhou-3');

export const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
export type ChargeType = (typeof chargeTypes)[number];
export const quotaTypes = [...chargeTypes, 'image', 'disaster_recover_group'] as const;
export type QuotaType = (typeof quotaTypes)[number];
/** As the service calls them, the best one first. */
export const stockLevels = ['EnoughStock', 'NormalStock', 'UnderStock', 'WithoutStock'] as const;
export type StockLevel = (typeof stockLevels)[number];

export const operationNames = [
  'DescribeAccountQuota',
  'DescribeDisasterRecoverGroupQuota',
  'DescribeImageQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeSubnets',
  'DescribeZoneInstanceConfigInfos',
  'DescribeZones',
  'AssumeRole',
  'AssumeRoleWithWebIdentity',
  'GetCallerIdentity',
] as const;
export type ServiceOperation = (typeof operationNames)[number];
/** The name of all requests to the metadata service of a machine, for faults and in the log. */
export const metadataOperation = 'Metadata';
export const operationName = z.enum([...operationNames, metadataOperation]);
export type OperationName = z.output<typeof operationName>;

/** A duration that stays a text. {@link msOf} reads it. */
export function durationText({ min = '0s', max = '365d' } = {}) {
  return z
    .string({ error: 'expected a duration such as 700ms or 30s' })
    .regex(durationPattern, { error: 'expected a duration such as 30s, 5m or 1h', abort: true })
    .refine((text) => msOf(text) >= msOf(min), { error: `must be at least ${min}` })
    .refine((text) => msOf(text) <= msOf(max), { error: `must be at most ${max}` });
}

/** The milliseconds of a duration that a schema has accepted. A minus sign is possible where the schema allows it. */
export function msOf(text: string): number {
  return text.startsWith('-') ? -msOf(text.slice(1)) : (parseDurationMs(text) ?? 0);
}

export function textOfMs(ms: number): string {
  return `${Math.round(ms)}ms`;
}

/** For unusual answers: changes to the row of an object. */
export const rowOverrides = {
  omit: z
    .union([
      z.literal('all'),
      z.array(
        like(/^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/, 'a field such as CreationTime or Placement.Zone'),
      ),
    ])
    .optional()
    .describe('fields that are left out of its row in answers; `all` for every field'),
  fields: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('fields of its row in answers, with the values that they are answered with'),
};
export interface RowOverrides {
  readonly omit?: 'all' | readonly string[] | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** A list in which no two elements have the same key. It may be absent. */
export function uniqueList<S extends z.ZodType>(
  element: S,
  keyOf: (element: z.output<S>) => string | number,
  what: string,
) {
  return z.array(element).superRefine(refuseRepeated(keyOf)).prefault([]).describe(what);
}

export function refuseRepeated<T>(keyOf: (element: T) => string | number) {
  return (elements: readonly T[], context: z.RefinementCtx): void => {
    const keys = elements.map(keyOf);
    for (const [index, key] of keys.entries()) {
      if (keys.indexOf(key) < index) mistake(context, [index], `${key} appears twice`);
    }
  };
}

export function mistake(
  context: z.RefinementCtx,
  path: readonly (string | number)[],
  message: string,
): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

/** Invalid input from code or from the control API. It contains all mistakes. */
export class InvalidInputError extends Error {
  readonly problems: readonly string[];

  constructor(what: string, problems: readonly string[]) {
    super(`${what}: ${problems.join('; ')}`);
    this.name = 'InvalidInputError';
    this.problems = problems;
  }
}

/** @throws InvalidInputError */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
): z.output<S> {
  const result = schema.safeParse(value, explainable);
  if (result.success) return result.data;
  const problems = explainIssues(result.error.issues).map(({ path, message }) =>
    path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  );
  throw new InvalidInputError(what, problems);
}

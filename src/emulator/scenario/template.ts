/**
 * The schemas of launch templates and their versions, and what follows from them, such as the highest version
 * (docs/service.md, section 6.4). Scenarios, actions, the state and the operations on templates use them.
 */
import { z } from 'zod';
import {
  addIssue,
  anyFields,
  refuseRepeated,
  rowObject,
  tags,
  isoSeconds,
  optional,
} from './schema-parts.ts';
import { templateId, versionNumber } from './vocabulary.ts';

export const versionSchema = rowObject({
  version: versionNumber.describe('its number'),
  description: z.string().nullable().default('').describe('LaunchTemplateVersionDescription'),
  creation_time: z.iso.datetime().optional().describe('when it is created, when absent'),
  data: optional(anyFields, 'fields of LaunchTemplateVersionData, instead of those of an example'),
});
export type TemplateVersion = z.output<typeof versionSchema>;

/** A version that the scenario writes as its number alone. */
const plainVersion = versionNumber.transform((version) => versionSchema.parse({ version }));

export const templateSchema = rowObject({
  id: templateId.describe('such as lt-b8v1kcyq'),
  name: z.string().default('template').describe('LaunchTemplateName'),
  creation_time: z.iso.datetime().optional().describe('that of its first version, when absent'),
  tags: tags.describe(
    'what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at',
  ),
  default_version: versionNumber.describe('the number of the default version'),
  highest_version: optional(versionNumber, 'the highest number that was ever used, if none has it'),
  versions: z
    .array(
      z.union([plainVersion, versionSchema], {
        error: 'expected a number such as 2, or a map with version',
      }),
    )
    .superRefine(refuseRepeated(({ version: number }) => number))
    .min(1, { error: 'a template has at least one version' })
    .describe('a version is its number alone, or a map'),
}).superRefine(({ id, default_version: wanted, versions }, context) => {
  if (versions.some(({ version: number }) => number === wanted)) return;
  addIssue(context, ['default_version'], `${id} has no version ${wanted}`);
});
export type Template = z.output<typeof templateSchema>;

/**
 * Returns the template with the creation times that the scenario leaves out: `atMs` for a version, and that of the first
 * version in the list for the template.
 *
 * @param atMs milliseconds since the Unix epoch
 */
export function withCreationTimes(template: Template, atMs: number): Template {
  const creation_time = isoSeconds(atMs);
  const versions = template.versions.map((version) => ({ creation_time, ...version }));
  return { creation_time: versions[0]?.creation_time, ...template, versions };
}

/**
 * The highest number that a version of the template ever had, also if it was deleted. The next version gets a higher
 * one.
 */
export function highestUsedVersion({ highest_version: highest = 0, versions }: Template): number {
  return Math.max(highest, highestVersion({ versions }));
}

/** The highest number that a version of the template has now. */
export function highestVersion({ versions }: Pick<Template, 'versions'>): number {
  return Math.max(...versions.map(({ version: number }) => number));
}

/** Which launch templates are watched, and what both operations of launch templates share. */
import { z } from 'zod';
import { uniqueBy } from '../validation/unique.ts';
import { count, text, type Stored } from '../model/stored.ts';

export const launchTemplateOperation = 'DescribeLaunchTemplateVersions';

export const launchTemplateId = z
  .string()
  .regex(/^lt-[A-Za-z0-9-]{1,60}$/, { error: 'expected a template ID such as lt-b8v1kcyq' });

/** What DescribeLaunchTemplates says about a template. A number is `null` when it cannot be read. */
export const listedTemplate = z.object({
  /** Printable. Empty when the answer has none. */
  name: text,
  defaultVersion: count.nullable(),
  latestVersion: count.nullable(),
  /** The number of versions. */
  versions: count.nullable(),
});
export type ListedTemplate = Stored<typeof listedTemplate>;

/** Maximum length of a name and of a tag at the service. */
const nameText = z.string().min(1).max(128);

/** The service allows 10 filters in a request (docs/service.md, section 7). Each tag is a filter. */
const maxTags = 10;

const selectionKeys = z.strictObject({
  names: z
    .array(nameText)
    .min(1, { error: 'write at least one name, or omit the key for every name' })
    .optional()
    .describe('Names of templates. `*` matches any text. Default: every name.'),
  tags: z
    .record(nameText, nameText)
    .refine((tags) => Object.keys(tags).length <= maxTags, {
      error: `the service allows at most ${maxTags} tags`,
    })
    .optional()
    .describe('Tags that a template must have, all of them. Default: none.'),
});

const keysOf = <T extends z.ZodType>(launch_templates: T) => ({
  launch_templates,
  max_launch_templates: z
    .int()
    .min(1)
    .max(10_000)
    .default(1_000)
    .describe('The maximum number of watched templates that discovery finds in the region.'),
});

export const launchTemplateRegionKeys = z.object(
  keysOf(
    z
      .union([
        z.literal('all'),
        selectionKeys,
        z.array(launchTemplateId).check(uniqueBy('launch template', (id) => id)),
      ])
      .default([])
      .describe(
        'The launch templates that are watched: a list of IDs, `all`, or those with such names and tags.',
      ),
  ),
);

/** A template ID belongs to one region, so it is no key of every region. */
export const launchTemplateEveryRegionKeys = z.object(
  keysOf(
    z
      .union([z.literal('all'), selectionKeys])
      .optional()
      .describe('The launch templates that are watched in each region. Default: none.'),
  ),
);

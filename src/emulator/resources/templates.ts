/** Launch templates and their versions. */
import { z } from 'zod';
import { inCode } from '../input/words.ts';
import { keyedBy, mistake, templateId, versionNumber } from './schema.ts';
import { defaultVersionData, versionDataSchema, type VersionData } from './version-data.ts';

/** For unusual answers: changes to the row of an object. */
const rowOverrides = {
  omit: z
    .union([
      z.literal('all'),
      z.array(
        z.string().regex(/^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/, {
          error: 'expected a field such as CreationTime or LaunchTemplateVersionData.DataDisks',
        }),
      ),
    ])
    .default([])
    .describe('fields that are left out of its row in answers; `all` for every field'),
  fields: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('fields of its row in answers, with the values that they are answered with'),
};

/** Changes to the row of an object in answers. `fields` can also replace fields that `omit` leaves out. */
export interface RowOverrides {
  readonly omit: 'all' | readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of a version besides its number. */
export const versionContent = {
  description: z.string().nullable().default('').describe('LaunchTemplateVersionDescription'),
  creation_time: z.iso.datetime().optional().describe('when it is created, when absent'),
  data: versionDataSchema.optional().describe('replaces fields of a complete example'),
  ...rowOverrides,
};

const version = inCode(
  z.strictObject({ version: versionNumber.describe('its number'), ...versionContent }),
);
export type VersionContent = z.output<typeof version>;

/** A template without its ID. A version may be only its number. */
export const templateContent = {
  name: z.string().default('template').describe('LaunchTemplateName'),
  tags: z
    .record(z.string(), z.string())
    .default({})
    .describe('what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at'),
  default_version: versionNumber.describe('the number of the default version'),
  versions: z
    .array(
      z.union([versionNumber.transform((number) => version.parse({ version: number })), version], {
        error: 'expected a number such as 2, or a map with version',
      }),
    )
    .min(1, { error: 'a template has at least one version' })
    .transform(keyedBy(({ version: number }) => number))
    .describe('a version is its number alone, or a map'),
  ...rowOverrides,
};

export const templateSchema = inCode(
  z.strictObject({ id: templateId.describe('such as lt-b8v1kcyq'), ...templateContent }),
).superRefine((template, context) => {
  const problem = defaultProblem(template);
  if (problem !== null) mistake(context, ['default_version'], problem);
});
export type TemplateContent = z.output<typeof templateSchema>;

/** Why a template cannot have its default version. `null` when it can. */
export function defaultProblem({
  id,
  defaultVersion,
  versions,
}: Pick<TemplateContent, 'id' | 'defaultVersion' | 'versions'>): string | null {
  return versions.has(defaultVersion) ? null : `${id} has no version ${defaultVersion}`;
}

/** Where and when something is created. */
interface Creation {
  /** The zone of instances if a version does not say one. */
  readonly defaultZone: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

export interface TemplateVersion extends Readonly<Pick<VersionContent, 'version' | 'description'>> {
  /** ISO 8601 in UTC, whole seconds. */
  readonly creationTime: string;
  readonly data: VersionData;
  readonly row: RowOverrides;
}

export function createVersion(
  content: VersionContent,
  { defaultZone, atMs }: Creation,
): TemplateVersion {
  const { version: number, description, creationTime, data, omit, fields } = content;
  return {
    version: number,
    description,
    creationTime: isoSeconds(creationTime === undefined ? atMs : Date.parse(creationTime)),
    data: { ...defaultVersionData(defaultZone), ...data },
    row: { omit, fields },
  };
}

export interface Template extends Readonly<Pick<TemplateContent, 'id' | 'name'>> {
  readonly tags: ReadonlyMap<string, string>;
  /** As that of its first version. */
  readonly creationTime: string;
  defaultVersion: number;
  /** The highest number that was ever used. No number is used twice. */
  highestVersion: number;
  readonly versions: Map<number, TemplateVersion>;
  readonly row: RowOverrides;
}

export function createTemplate(content: TemplateContent, creation: Creation): Template {
  const { id, name, tags, defaultVersion, omit, fields } = content;
  const versions = new Map(
    [...content.versions].map(([number, each]) => [number, createVersion(each, creation)]),
  );
  return {
    id,
    name,
    tags: new Map(Object.entries(tags)),
    creationTime: versions.values().next().value?.creationTime ?? isoSeconds(creation.atMs),
    defaultVersion,
    highestVersion: Math.max(...versions.keys()),
    versions,
    row: { omit, fields },
  };
}

/** The form of CreationTime: `2020-12-17T01:54:31Z`. */
function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * Turns the answers of DescribeLaunchTemplateVersions into a snapshot: the versions, and what the default one starts.
 * `launch-template.ts` calls it after each poll. `check --plan` reads the templates of a plan of Terraform with
 * {@link versionData} and {@link versionOf}.
 */
import { z } from 'zod';
import { launchDiskSchema } from '../../model/launches/launch.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import type { Target } from '../../model/target.ts';
import { listedTemplate } from '../launch-template-list.ts';
import { disksOf, diskAndGroupFields } from '../launch-settings.ts';
import { type ListReading } from '../lists.ts';
import { aboutAnother, field, isZoneOf, lenient, printableText, rowOf } from '../rows.ts';

/** The fields of the target of a template that say what is asked, and what its launch is called. */
export const askedTemplate = z.object({
  resource: z.object({ template_id: text }),
  /**
   * What the last list says about a template that discovery found. `null` when the list lacks it, or it may be in a row
   * that cannot be read. Absent for a template that the configuration names.
   */
  listed: listedTemplate.nullish(),
  /** The versions that a check asks about. `null`: the default one. Absent in the daemon. */
  versions: z.array(count.nullable()).optional(),
});
export type AskedTemplate = Stored<typeof askedTemplate>;

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable().default(null);
const nullableText = nullable(text);

/** A version, and what it starts. A field is empty if the version does not set it, and `null` if it cannot be read. */
const templateVersion = z.object({
  version: count,
  imageId: nullableText,
  instanceType: nullableText,
  chargeType: nullableText,
  zone: nullableText,
  subnet: nullableText,
  /** How many instances it starts. */
  count: nullable(count),
  /** How many IPv6 addresses each instance gets. */
  ipv6Count: nullable(count),
  disks: nullable(z.array(launchDiskSchema)),
  placementGroups: nullable(z.array(text)),
});
export type TemplateVersion = Stored<typeof templateVersion>;

export const launchTemplateSnapshot = snapshotSchema({
  /** Every readable version number, ascending, without duplicates. */
  versions: z.array(count),
  /** The number of versions that the service has besides these, or may have. */
  unidentified: count,
  /** `null` when no readable version is marked as the default, or several are. */
  defaultVersion: templateVersion.nullable(),
  /** Of the versions that a check asks about by number, those in the answer. Absent in the daemon. */
  askedVersions: z.array(templateVersion).optional(),
});
export type LaunchTemplateSnapshot = Stored<typeof launchTemplateSnapshot>;

/** A field with a text: empty if it is absent, `null` if it cannot be read. */
const textField = (name: string) => field(name, printableText, '');

/** LaunchTemplateVersionData. `null` if it cannot be read. No other field is read, because UserData may hold secrets. */
export const versionData = lenient(
  rowOf({
    imageId: textField('ImageId'),
    instanceType: textField('InstanceType'),
    chargeType: textField('InstanceChargeType'),
    placement: field('Placement', rowOf({ zone: textField('Zone') }), { zone: '' }),
    network: field(
      'VirtualPrivateCloud',
      rowOf({ subnet: textField('SubnetId'), ipv6Count: field('Ipv6AddressCount', count, 0) }),
      { subnet: '', ipv6Count: 0 },
    ),
    count: field('InstanceCount', z.int().positive(), 1),
    ...diskAndGroupFields,
  }).transform(({ dataDisks, network, placement, systemDisk, ...data }) => ({
    ...data,
    zone: placement?.zone ?? null,
    subnet: network?.subnet ?? null,
    ipv6Count: network?.ipv6Count ?? null,
    disks: disksOf(systemDisk, dataDisks),
  })),
);

const rowSchema = z.object({
  LaunchTemplateId: lenient(printableText, ''),
  IsDefaultVersion: z.boolean().nullish(),
  LaunchTemplateVersionData: versionData,
});

/** The list in the answers. A row of {@link readList} has the version number as its `name`, as a text. */
export const versionSet = {
  name: 'LaunchTemplateVersionSet',
  noun: 'versions',
  isNeverEmpty: true,
  id: z.object({ LaunchTemplateVersion: count }),
  schema: rowSchema,
};

/**
 * The snapshot of the versions of a template, and the anomalies: those of the rows, and those about the default version.
 *
 * @throws CodedError `InvalidResponse` when a row is of another template
 */
export function summarizeVersions(
  { names, rows, total, anomalies, requestId }: ListReading<typeof rowSchema>,
  { region, resource, versions: asked }: Omit<AskedTemplate, 'listed'> & Pick<Target, 'region'>,
): PollAnswer<LaunchTemplateSnapshot> {
  const templateId = resource.template_id;
  const ids = rows.map(({ row }) => row.LaunchTemplateId);
  const other = ids.find((id) => id !== '' && id !== null && id !== templateId);
  if (other) throw aboutAnother(other, templateId, requestId);
  const defaults = rows.filter(({ row }) => row.IsDefaultVersion === true);
  const [firstDefault, ...otherDefaults] = defaults;
  const problems: Anomaly[] = [];
  // An unreadable row may be the default. So it is an anomaly only if every row was read.
  if (firstDefault === undefined && rows.length === total && total > 0) {
    problems.push({ kind: 'no-default', detail: 'no version is the default' });
  }
  if (otherDefaults.length > 0) {
    const some = defaults.slice(0, 10).map(({ name }) => name);
    const detail = `${defaults.length} versions are the default: ${some.join(', ')}`;
    problems.push({ kind: 'multiple-defaults', detail });
  }
  const onlyDefault = otherDefaults.length === 0 ? firstDefault : undefined;
  const versionIn = ({ name, row }: (typeof rows)[number]) =>
    versionOf(Number(name), row.LaunchTemplateVersionData, region);
  return {
    snapshot: {
      versions: names.map(Number).toSorted((a, b) => a - b),
      unidentified: total - names.length,
      defaultVersion: onlyDefault === undefined ? null : versionIn(onlyDefault),
      ...(asked && {
        askedVersions: rows.filter(({ name }) => asked.includes(Number(name))).map(versionIn),
      }),
      missing: [],
    },
    anomalies: [...anomalies, ...problems],
  };
}

/** A version of a template, with what it starts in a region. */
export function versionOf(version: number, data: z.output<typeof versionData>, region: string) {
  const zone = data?.zone ?? null;
  // A user wrote the zone. One of another region counts as unreadable, and the answer stays valid.
  const isUsable = zone === '' || isZoneOf(region, zone ?? '');
  return templateVersion.parse({ version, ...data, zone: isUsable ? zone : null });
}

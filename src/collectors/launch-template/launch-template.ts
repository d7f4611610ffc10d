/**
 * The kind for one launch template and its versions: DescribeLaunchTemplateVersions. The configuration names the
 * template, or the list of `launch-template-list.ts` found it: then the versions are polled when the list shows that
 * they may differ.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Parameter } from '../../api/request.ts';
import { durableCounter, family, snapshotGauge, seconds } from '../../model/metric-family.ts';
import { amountsOf, type Quota } from '../../model/quota.ts';
import { recordSchema, type TargetRecord } from '../../model/record.ts';
import { count, timeMs, type Stored } from '../../model/stored.ts';
import { readList } from '../lists.ts';
import { defineCollector } from '../collector.ts';
import { templateConfiguration, type TemplateKeys } from '../keys.ts';
import {
  launchTemplateOperation,
  listedTemplate,
  templatesToPoll,
} from '../launch-template-list.ts';
import { isListDue, listingOf } from '../listing.ts';
import {
  askedTemplate,
  launchTemplateSnapshot,
  summarizeVersions,
  versionSet,
  type LaunchTemplateSnapshot,
  type TemplateVersion,
} from './answer.ts';
import { launchesOfTemplate } from './default-launch.ts';

const listing = listingOf(count, {
  noun: 'version',
  metric: 'cvm_launch_template_versions',
  verbs: ['created', 'deleted'],
  operation: launchTemplateOperation,
});

const stored = recordSchema({
  target: askedTemplate.shape,
  durable: {
    ...listing.fields,
    /** The last certain default version. The next one is compared with it. */
    lastDefaultVersion: count.nullable().default(null),
    defaultVersionChanges: count.default(0),
    defaultVersionChangedAtMs: timeMs.nullable().default(null),
    /** `listed` of the target when the versions were last read. `null` if it had none. */
    listedAtRead: listedTemplate.nullable().default(null),
  },
  snapshot: launchTemplateSnapshot,
});

export type LaunchTemplateRecord = Stored<typeof stored>;

/**
 * The largest possible version number. It is sent because the default of the service, 30, hides all versions
 * above 30.
 */
const maxVersion = 2_147_483_647;

/**
 * Whether a cycle asks for the versions, because the list does not prove that they are the same: no list has the
 * template; its row differs from that at the last read, or has unknown numbers; the versions that were read contradict
 * the row; the last answer failed, was incomplete or lacked a known version; or the versions were not read in this
 * hour.
 */
function needsPoll(record: LaunchTemplateRecord, nowMs: number): boolean {
  const { snapshot } = record.observed;
  const { listed = null } = record.target;
  if (listed === null || Object.values(listed).includes(null)) return true;
  if (!isDeepStrictEqual(record.durable.listedAtRead, listed)) return true;
  if (snapshot?.missing.length !== 0) return true;
  // The versions can change after the list was read and before they are read, and change back before the next list. A
  // lower latest version is no sign of that: the service may count deleted versions.
  const isOtherDefault = snapshot.defaultVersion?.version !== listed.defaultVersion;
  const isHigher = (snapshot.versions.at(-1) ?? 0) > (listed.latestVersion ?? 0);
  return isOtherDefault || isHigher || isListDue(record, nowMs);
}

/**
 * The highest version, also one that is known but cannot be read now. `null` before the first success, and without
 * versions.
 */
function latestVersion({ durable, observed: { snapshot } }: LaunchTemplateRecord): number | null {
  if (snapshot === null) return null;
  const highest = Math.max(durable.inventory?.known.at(-1) ?? 0, snapshot.versions.at(-1) ?? 0);
  return highest === 0 ? null : highest;
}

export const isTemplateRecord = (record: TargetRecord): record is LaunchTemplateRecord =>
  record.target.operation === launchTemplateOperation;

/** The documented maximum of the versions of a template. No answer says it. */
const maxVersions = 30;

function versionsQuota({ versions, unidentified }: LaunchTemplateSnapshot): Quota {
  // The service may count more versions than it lists, such as deleted ones.
  const used = unidentified === 0 ? versions.length : null;
  const name = { type: 'launch_template_versions', zone: null, unit: 'versions' };
  return { ...name, ...amountsOf(used, maxVersions) };
}

function labelsOfVersion({ chargeType, imageId, instanceType, version }: TemplateVersion) {
  return {
    version,
    image_id: imageId ?? '',
    instance_type: instanceType ?? '',
    charge_type: chargeType ?? '',
  };
}

export const launchTemplateCollector = defineCollector<LaunchTemplateRecord, TemplateKeys>({
  kind: 'launch-template',
  operation: launchTemplateOperation,
  noun: 'launch templates',
  follows: ['DescribeLaunchTemplates'],
  resourceLabels: ['template_id'],
  configuration: templateConfiguration,
  changeTexts: {
    'default-version-changed': 'default version changed from {from} to {to}',
    ...listing.changeTexts,
  },
  plan: ({ asked, target, regionKeys: { launch_templates: ids } }, _facts, records) => {
    const templates = Array.isArray(ids) ? ids.map((id) => ({ id })) : templatesToPoll(records);
    return templates.map(({ id, ...listed }) => ({
      ...target,
      resource: { template_id: id },
      ...listed,
      ...(asked && { versions: asked.versions.get(id) ?? [] }),
    }));
  },
  poll: async (ask, { target }) => {
    const parameters: Parameter[] = [
      ['LaunchTemplateId', target.resource.template_id],
      ['MinVersion', '0'],
      ['MaxVersion', String(maxVersion)],
    ];
    const reading = await readList(ask, parameters, versionSet);
    return summarizeVersions(reading, target);
  },
  needsPoll,
  // The default version is compared with the last one that was certain. An answer with no default, or with several, does not
  // say which one is used. It counts no change, and it does not hide a later change.
  compare: ({ durable, target: { listed } }, { versions, unidentified, defaultVersion }, nowMs) => {
    const compared = listing.compare(durable, versions, unidentified === 0);
    const last = durable.lastDefaultVersion;
    const current = defaultVersion?.version ?? last;
    const hasMoved = last !== null && current !== last;
    const change = { kind: 'default-version-changed', from: last, to: current };
    return {
      differences: [...compared.differences, ...(hasMoved ? [change] : [])],
      durable: {
        ...compared.durable,
        lastDefaultVersion: current,
        defaultVersionChanges: durable.defaultVersionChanges + (hasMoved ? 1 : 0),
        defaultVersionChangedAtMs: hasMoved ? nowMs : durable.defaultVersionChangedAtMs,
        listedAtRead: listed ?? null,
      },
    };
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_launch_template_default_version',
      'The version with IsDefaultVersion of DescribeLaunchTemplateVersions; absent when no version, or more than one, is the default.',
      ({ defaultVersion }) => defaultVersion?.version,
    ),
    snapshotGauge(
      'cvm_launch_template_latest_version',
      'The highest LaunchTemplateVersion of DescribeLaunchTemplateVersions.',
      (_snapshot, { record }) => latestVersion(record),
    ),
    snapshotGauge(
      'cvm_launch_template_versions',
      'How many versions DescribeLaunchTemplateVersions lists.',
      ({ versions, unidentified }) => versions.length + unidentified,
    ),
    durableCounter(
      'cvm_launch_template_default_version_changes_total',
      'How often the version with IsDefaultVersion of DescribeLaunchTemplateVersions differed from the last known one.',
      ({ defaultVersionChanges }) => defaultVersionChanges,
    ),
    family(
      'cvm_launch_template_default_version_change_timestamp_seconds',
      'When the last change of IsDefaultVersion of DescribeLaunchTemplateVersions was found, in seconds since the Unix epoch; absent before the first change.',
      ({ record }) => seconds(record.durable.defaultVersionChangedAtMs),
    ),
    ...listing.families,
    snapshotGauge(
      'cvm_launch_template_default_version_info',
      "Always 1; the labels are LaunchTemplateVersion and ImageId, InstanceType and InstanceChargeType of the default version's LaunchTemplateVersionData, and LaunchTemplateName of DescribeLaunchTemplates if discovery found the template.",
      ({ defaultVersion }, { record }) => {
        if (defaultVersion === null) return [];
        const template_name = record.target.listed?.name ?? null;
        return [{ labels: { template_name, ...labelsOfVersion(defaultVersion) }, value: 1 }];
      },
      ['template_name', 'version', 'image_id', 'instance_type', 'charge_type'],
    ),
  ],
  quotaSources: {
    used: 'the number of versions of DescribeLaunchTemplateVersions, absent while it counts more than it lists',
    remaining: '30 less the number of versions for launch_template_versions',
    limit: 'the documented 30 versions of a template',
  },
  quotaNames: { launch_template_versions: 'launch template versions' },
  quotas: ({ observed: { snapshot } }) => (snapshot === null ? [] : [versionsQuota(snapshot)]),
  reportableQuotas: () => [{ type: 'launch_template_versions', zones: [] }],
  launchFacts: ({ observed, target }) => ({
    launches: launchesOfTemplate(observed.snapshot, target),
  }),
  json: ({ defaultVersion, versions }) => ({
    versions,
    default_version: defaultVersion && labelsOfVersion(defaultVersion),
  }),
  table: {
    id: 'templates',
    title: 'Launch templates',
    nameLabel: 'Template',
    calledBy: ({ target }) => target.listed?.name,
    columns: [
      { label: 'Default', isNumber: true },
      { label: 'Latest', isNumber: true },
      { label: 'Versions', isNumber: true },
      { label: 'Default runs' },
    ],
    cells: (record) => {
      const { snapshot } = record.observed;
      if (snapshot === null) return [[], [], [], []];
      const { defaultVersion, unidentified, versions } = snapshot;
      const latest = String(latestVersion(record) ?? 0);
      const listed = String(versions.length + unidentified);
      if (defaultVersion === null) return [[], [latest], [listed], []];
      const { chargeType, imageId, instanceType, version } = defaultVersion;
      const runs = [(instanceType ?? '') || '–', `${imageId ?? ''} ${chargeType ?? ''}`.trim()];
      return [[String(version)], [latest], [listed], runs];
    },
  },
});

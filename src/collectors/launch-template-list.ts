/**
 * The kind that lists the launch templates of a region: DescribeLaunchTemplates. For each template that it finds, the
 * kind of `launch-template/` plans a target for the versions.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { namesToPoll } from '../model/inventory.ts';
import { durableCounter, snapshotGauge } from '../model/metric-family.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { recordSchema, type TargetRecord } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { readList } from './lists.ts';
import { defineCollector } from './collector.ts';
import { templateConfiguration, launchTemplateId, type TemplateKeys } from './keys.ts';
import { listingOf } from './listing.ts';
import { field, rowOf } from './rows.ts';
import {
  selectRows,
  selectionOf,
  selectionSchema,
  selectionText,
  tagFilters,
} from './selection.ts';

const operation = 'DescribeLaunchTemplates';
/** The operation of the targets for the versions of a template. */
export const launchTemplateOperation = 'DescribeLaunchTemplateVersions';

const listing = listingOf(launchTemplateId, {
  noun: 'launch template',
  change: 'template',
  metric: 'cvm_launch_templates',
  verbs: ['created', 'deleted'],
  operation,
});

/** What DescribeLaunchTemplates says about a template. A number is `null` when it cannot be read. */
export const listedTemplate = z.object({
  /** Printable. Empty when the answer has none. */
  name: text,
  defaultVersion: count.nullable(),
  latestVersion: count.nullable(),
  /** The number of versions. */
  versions: count.nullable(),
});
const templateWithId = listedTemplate.extend({ id: launchTemplateId });

const stored = recordSchema({
  target: {
    selection: selectionSchema,
    /** Maximum number of templates that get targets. */
    maxWatched: count,
  },
  durable: {
    /** The IDs that are known to exist with the present selection. */
    ...listing.fields,
    /**
     * The selection of the last answer. A poll with another selection begins a new baseline: a template that only the
     * new one selects was not created.
     */
    selection: selectionSchema.nullable().default(null),
    /** The last readable name of each known template, by its ID: the old name in a change. */
    names: z.record(launchTemplateId, text).default({}),
    /**
     * The IDs of the selected templates that may exist: also more than `maxWatched`, of which only the first ones get
     * targets. The order stays, so a template keeps its target until it is deleted or leaves the selection.
     */
    watched: z.array(launchTemplateId).default([]),
    /** How many templates left the selection so far: a counter. */
    left: count.default(0),
  },
  snapshot: snapshotSchema({
    /** The selected templates with a readable ID, in the order of the answer, without duplicates. */
    templates: z.array(templateWithId),
    /** The listed templates with names that are not selected. */
    others: z.array(templateWithId.pick({ id: true, name: true })),
    /** The number of templates that the service has besides `templates` and `others`, or may have. */
    unidentified: count,
  }),
});

export type LaunchTemplateListRecord = Stored<typeof stored>;

export const isTemplateListRecord = (record: TargetRecord): record is LaunchTemplateListRecord =>
  record.target.operation === operation;

/**
 * The templates that get targets: of each list among the records, the first `maxWatched` ones. `listed` is what the last
 * answer says about a template, `null` if it has no row that can be read.
 */
export function templatesToPoll(records: readonly TargetRecord[]) {
  return records
    .filter(isTemplateListRecord)
    .flatMap(({ durable: { watched }, observed, target: { maxWatched } }) => {
      const rows = new Map(observed.snapshot?.templates.map(({ id, ...listed }) => [id, listed]));
      return watched.slice(0, maxWatched).map((id) => ({ id, listed: rows.get(id) ?? null }));
    });
}

/** A row of {@link readList} has the template ID as its `name`. LaunchTemplateName is in `row`. */
const templateSet = {
  name: 'LaunchTemplateSet',
  noun: 'launch templates',
  id: z.object({ LaunchTemplateId: launchTemplateId }),
  schema: rowOf({
    name: field('LaunchTemplateName', text),
    defaultVersion: field('DefaultVersionNumber', count),
    latestVersion: field('LatestVersionNumber', count),
    versions: field('LaunchTemplateVersionCount', count),
  }),
};

export const launchTemplateListCollector = defineCollector<LaunchTemplateListRecord, TemplateKeys>({
  kind: 'launch-template-list',
  operation,
  noun: 'launch template discovery',
  configuration: templateConfiguration,
  actions: [operation, launchTemplateOperation].map((action) => `name/cvm:${action}`),
  changeTexts: {
    ...listing.changeTexts,
    'template-left-selection': 'left the selection: renamed from {from} to {to}',
    'template-renamed': 'renamed from {from} to {to}',
  },
  plan: ({ target, regionKeys: { launch_templates: key, max_launch_templates: maxWatched } }) =>
    // The configuration names the IDs of templates, so that no list is needed.
    Array.isArray(key) ? [] : [{ ...target, selection: selectionOf(key), maxWatched }],
  details: ({ selection }) => selectionText(selection),
  poll: async (ask, { target: { maxWatched, selection } }) => {
    const { anomalies, rows, total } = await readList(ask, tagFilters(selection), templateSet);
    // A row without a readable name is unidentified if names are selected.
    const { others, selected, ...notes } = selectRows(selection, rows, 'launch template');
    const templates = selected.map(({ id, name, row }) => ({ ...row, id, name }));
    const found = `${templates.length} launch templates were found`;
    const tooMany = `${found}, of which ${maxWatched} are watched: raise max_launch_templates`;
    return {
      snapshot: {
        templates,
        others: others.map(({ id, name }) => ({ id, name })),
        unidentified: total - templates.length - others.length,
        missing: [...notes.missing, ...(templates.length > maxWatched ? [tooMany] : [])],
      },
      anomalies: [...anomalies, ...notes.anomalies],
    };
  },
  // A known template that is listed with a name that is not selected has left the selection. It is taken out of the
  // inventory before the lists are compared, so that it does not count as deleted. Another selection of the target
  // begins a new inventory, so that it gives no created and no deleted templates. Names, counters and the order of
  // `watched` stay.
  compare: ({ durable, target: { selection } }, { templates, others, unidentified }) => {
    const isWhole = unidentified === 0;
    const unselectedNames = new Map(others.map(({ id, name }) => [id, name]));
    const mayBeSelected = (id: string) => !unselectedNames.has(id);
    const inventory = isDeepStrictEqual(durable.selection, selection) ? durable.inventory : null;
    const before = inventory && {
      known: inventory.known.filter(mayBeSelected),
      lacking: inventory.lacking.filter(mayBeSelected),
    };
    const ids = templates.map(({ id }) => id);
    const compared = listing.compare({ ...durable, inventory: before }, ids, isWhole);
    const { known } = compared;
    const names = new Map(Object.entries(durable.names));
    const nameChange = (kind: string, id: string, to: string | null = null) => {
      return { kind, from: names.get(id) ?? null, to, extraLabels: { template_id: id } };
    };
    const leftIds = inventory?.known.filter((id) => !mayBeSelected(id)) ?? [];
    const named = templates.filter(({ name }) => name !== '');
    const renamed = named.filter(({ id, name }) => names.has(id) && names.get(id) !== name);
    const differences = [
      ...compared.differences,
      ...leftIds.map((id) => nameChange('template-left-selection', id, unselectedNames.get(id))),
      ...renamed.map(({ id, name }) => nameChange('template-renamed', id, name)),
    ];
    // After the differences, which have the old names.
    for (const { id, name } of named) names.set(id, name);
    const knownIds = new Set(known);
    return {
      differences,
      durable: {
        ...compared.durable,
        selection,
        names: Object.fromEntries([...names].filter(([id]) => knownIds.has(id))),
        watched: namesToPoll(durable.watched.filter(mayBeSelected), ids, { known, isWhole }),
        left: durable.left + leftIds.length,
      },
    };
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_launch_templates',
      'How many selected templates DescribeLaunchTemplates lists.',
      ({ templates, unidentified }) => templates.length + unidentified,
    ),
    ...listing.families,
    durableCounter(
      'cvm_launch_templates_left_selection_total',
      'How many known templates DescribeLaunchTemplates listed with a LaunchTemplateName that is not selected.',
      ({ left }) => left,
    ),
  ],
  json: ({ templates }) => ({
    templates: templates.map(({ id, name, defaultVersion, latestVersion, versions }) => ({
      template_id: id,
      name,
      default_version: defaultVersion,
      latest_version: latestVersion,
      versions,
    })),
  }),
});

/** The kind that lists the launch templates of a region: DescribeLaunchTemplates. Its records find targets for their versions. */
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
/** The operation of the targets that it finds. */
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
const template = listedTemplate.extend({ id: launchTemplateId });

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
    /** The last readable name of each known template, by its ID. */
    names: z.record(launchTemplateId, text).default({}),
    /**
     * The IDs of the templates that may exist. The first ones are watched, up to the maximum of the target. A
     * watched template stays watched until it is deleted or leaves the selection.
     */
    watched: z.array(launchTemplateId).default([]),
    /** The number of templates that left the selection. */
    left: count.default(0),
  },
  snapshot: snapshotSchema({
    /** The selected templates with a readable ID, in the order of the answer, without duplicates. */
    templates: z.array(template),
    /** The listed templates with names that are not selected. */
    others: z.array(template.pick({ id: true, name: true })),
    /** The number of templates that the service has besides them, or may have. */
    unidentified: count,
  }),
});

export type LaunchTemplateListRecord = Stored<typeof stored>;

export const isTemplateListRecord = (record: TargetRecord): record is LaunchTemplateListRecord =>
  record.target.operation === operation;

/**
 * The templates that the lists among the records found, at most `maxWatched` of each list. `listed` is what the list says
 * about a template, `null` if its row cannot be read.
 */
export function listedTemplates(records: readonly TargetRecord[]) {
  return records
    .filter(isTemplateListRecord)
    .flatMap(({ durable: { watched }, observed, target: { maxWatched } }) => {
      const rows = new Map(observed.snapshot?.templates.map(({ id, ...listed }) => [id, listed]));
      return watched.slice(0, maxWatched).map((id) => ({ id, listed: rows.get(id) ?? null }));
    });
}

/** A row's name is its ID. */
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
  plan: ({ target, regionKeys: { launch_templates: key, max_launch_templates: maxWatched } }) => {
    // The configuration names the templates.
    if (Array.isArray(key)) return [];
    return [{ ...target, selection: selectionOf(key), maxWatched }];
  },
  details: ({ selection }) => selectionText(selection),
  poll: async (ask, { target: { maxWatched, selection } }) => {
    const { anomalies, rows, total } = await readList(ask, tagFilters(selection), templateSet);
    // A row without a readable name is unidentified if names are selected.
    const { others, selected, ...read } = selectRows(selection, rows, 'launch template');
    const templates = selected.map(({ id, name, row }) => ({ ...row, id, name }));
    const found = `${templates.length} launch templates were found`;
    const tooMany = `${found}, of which ${maxWatched} are watched: raise max_launch_templates`;
    return {
      snapshot: {
        templates,
        others: others.map(({ id, name }) => ({ id, name })),
        unidentified: total - templates.length - others.length,
        missing: [...read.missing, ...(templates.length > maxWatched ? [tooMany] : [])],
      },
      anomalies: [...anomalies, ...read.anomalies],
    };
  },
  // A template that is listed with a name that is not selected has left the selection, and is not deleted.
  compare: ({ durable, target: { selection } }, { templates, others, unidentified }) => {
    const isWhole = unidentified === 0;
    const otherNames = new Map(others.map(({ id, name }) => [id, name]));
    const stays = (id: string) => !otherNames.has(id);
    const inventory = isDeepStrictEqual(durable.selection, selection) ? durable.inventory : null;
    const before = inventory && {
      known: inventory.known.filter(stays),
      lacking: inventory.lacking.filter(stays),
    };
    const ids = templates.map(({ id }) => id);
    const compared = listing.compare({ ...durable, inventory: before }, ids, isWhole);
    const { known } = compared;
    const names = new Map(Object.entries(durable.names));
    const nameChange = (kind: string, id: string, to: string | null) => {
      return { kind, from: names.get(id) ?? null, to, extraLabels: { template_id: id } };
    };
    const left = inventory?.known.filter((id) => !stays(id)) ?? [];
    const named = templates.filter(({ name }) => name !== '');
    const renamed = named.filter(({ id, name }) => names.has(id) && names.get(id) !== name);
    const differences = [
      ...compared.differences,
      ...left.map((id) => nameChange('template-left-selection', id, otherNames.get(id) ?? null)),
      ...renamed.map(({ id, name }) => nameChange('template-renamed', id, name)),
    ];
    for (const { id, name } of named) names.set(id, name);
    const isKnown = new Set(known);
    return {
      differences,
      durable: {
        ...compared.durable,
        selection,
        names: Object.fromEntries([...names].filter(([id]) => isKnown.has(id))),
        watched: namesToPoll(durable.watched.filter(stays), ids, { known, isWhole }),
        left: durable.left + left.length,
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

/** The kinds of panels of the dashboard. All panels of a kind have the same style. */
import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  ReduceDataOptionsBuilder,
  SortOrder,
  TableCellDisplayMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type DynamicConfigValue,
  type Panel,
  type Threshold,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { datasource } from './queries.ts';

/** A row of the dashboard and its panels. */
export interface Section {
  readonly row: RowBuilder;
  readonly panels: readonly Builder<Panel>[];
}

/** A row of which only the title is shown until somebody opens it. */
export function collapsedRow(title: string, panels: Section['panels']): RowBuilder {
  return panels.reduce((row, panel) => row.withPanel(panel), new RowBuilder(title).collapsed(true));
}

/** One colour for every value. */
export const plainSteps: readonly Threshold[] = [{ value: null, color: 'text' }];
/** The texts of 0 and 1. */
export const yesOrNo: ValueMapping = {
  type: MappingType.ValueToText,
  options: { '0': { text: 'no', color: 'red' }, '1': { text: 'yes', color: 'green' } },
};
/** Colours of a count that should be 0. */
export const anyIsBadSteps: readonly Threshold[] = [
  { value: null, color: 'green' },
  { value: 1, color: 'red' },
];
/** Colours of a count that needs attention if it is not 0. */
export const anyIsNewsSteps: readonly Threshold[] = [
  { value: null, color: 'green' },
  { value: 1, color: 'orange' },
];

function absolute(steps: readonly Threshold[]): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...steps]);
}

interface PanelOptions {
  readonly title: string;
  readonly description: string;
  /** Width in columns, of 24. */
  readonly span: number;
  readonly unit: string;
  readonly targets: readonly DataqueryBuilder[];
}

/** One large number. */
export function statPanel(
  options: PanelOptions & {
    readonly steps: readonly Threshold[];
    readonly mappings?: ValueMapping[];
  },
): stat.PanelBuilder {
  return new stat.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(datasource)
    .span(options.span)
    .height(4)
    .unit(options.unit)
    .targets([...options.targets])
    .thresholds(absolute(options.steps))
    .mappings(options.mappings ?? [])
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

/** Lines over time, stepped because a value holds from one poll to the next. */
export function graphPanel(options: PanelOptions): timeseries.PanelBuilder {
  return new timeseries.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(datasource)
    .span(options.span)
    .height(8)
    .unit(options.unit)
    .min(0)
    .targets(options.targets.map((target, index) => target.refId(`${index + 1}`)))
    .lineInterpolation(LineInterpolation.StepAfter)
    .fillOpacity(5)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(
      new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending),
    );
}

/**
 * Shares that remain as bars, one per series of the query. The colours show the share, not a severity: each
 * quota has its own thresholds.
 */
export function remainingBars(options: Omit<PanelOptions, 'unit'>): bargauge.PanelBuilder {
  return new bargauge.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(datasource)
    .span(options.span)
    .height(8)
    .unit('percentunit')
    .min(0)
    .max(1)
    .targets([...options.targets])
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.ContinuousRdYlGr))
    .displayMode(BarGaugeDisplayMode.Basic)
    .orientation(VizOrientation.Horizontal)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

/** A column of a table: the field it shows, its heading, and how its values look. */
export interface Column {
  readonly field: string;
  readonly heading: string;
  readonly properties?: readonly DynamicConfigValue[];
}

/** Columns that tell equal names apart. They are empty where Prometheus has no such labels. */
export const placeColumns: readonly Column[] = [
  { field: 'cluster', heading: 'Cluster' },
  { field: 'namespace', heading: 'Namespace' },
];

/** A table whose queries are joined by the labels they share; only `columns` are shown, in that order. */
export function tablePanel(
  options: Omit<PanelOptions, 'unit'> & {
    readonly columns: readonly Column[];
    readonly sortBy: { readonly heading: string; readonly descending: boolean };
  },
): table.PanelBuilder {
  const { columns, sortBy } = options;
  const panel = new table.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(datasource)
    .span(options.span)
    .height(10)
    .filterable(true)
    .targets([...options.targets])
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'filterFieldsByName',
      options: { include: { names: columns.map(({ field }) => field) } },
    })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(columns.map(({ field }, index) => [field, index])),
        renameByName: Object.fromEntries(columns.map(({ field, heading }) => [field, heading])),
      },
    })
    .withTransformation({
      id: 'sortBy',
      options: { sort: [{ field: sortBy.heading, desc: sortBy.descending }] },
    });
  for (const { heading, properties } of columns) {
    if (properties !== undefined) panel.overrideByName(heading, [...properties]);
  }
  return panel;
}

/** Properties of a column that holds a share that remains, drawn as a bar. */
export const remainingColumn: readonly DynamicConfigValue[] = [
  { id: 'unit', value: 'percentunit' },
  { id: 'min', value: 0 },
  { id: 'max', value: 1 },
  { id: 'decimals', value: 1 },
  { id: 'color', value: { mode: FieldColorModeId.ContinuousRdYlGr } },
  { id: 'custom.cellOptions', value: { type: TableCellDisplayMode.Gauge, mode: 'basic' } },
];
/** Properties of a column whose cells link to another page. */
export function linkColumn(title: string, url: string): readonly DynamicConfigValue[] {
  return [{ id: 'links', value: [{ title, url, targetBlank: true }] }];
}
/** Properties of a column that holds a number with a meaning, shown as coloured text. */
export function textColumn(mapping: ValueMapping): readonly DynamicConfigValue[] {
  return [
    { id: 'mappings', value: [mapping] },
    { id: 'custom.cellOptions', value: { type: TableCellDisplayMode.ColorText } },
  ];
}
/** Properties of a column that holds a duration in seconds. */
export const durationColumn: readonly DynamicConfigValue[] = [{ id: 'unit', value: 's' }];
/** Properties of a column that holds a time in milliseconds since the Unix epoch. */
export const timeColumn: readonly DynamicConfigValue[] = [{ id: 'unit', value: 'dateTimeAsIso' }];

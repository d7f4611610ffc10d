/** The version that new instances get, the latest version, and the changes. */
import { RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { graphPanel, placeColumns, tablePanel, timeColumn, type Section } from './panels.ts';
import {
  accountLabels,
  launchLabels,
  legendOfAccount,
  overTime,
  regional,
  risesSinceLastPoint,
  rows,
  templateLabels,
} from './queries.ts';

const legend = `${legendOfAccount} {{region}} {{template_id}}`;

function perTemplate(metric: string): string {
  return `max by (${templateLabels}) (${metric}${regional})`;
}

function changes(counter: string): string {
  return risesSinceLastPoint(templateLabels, `${counter}${regional}`);
}

const templateTable = tablePanel({
  title: 'Default version against latest version',
  description: 'An instance that is launched without a version gets the default version.',
  span: 24,
  targets: [
    rows('Default', perTemplate('cvm_launch_template_default_version')),
    rows('Latest', perTemplate('cvm_launch_template_latest_version')),
    rows(
      'Behind',
      `${perTemplate('cvm_launch_template_latest_version')} - ${perTemplate('cvm_launch_template_default_version')}`,
    ),
    rows('Versions', perTemplate('cvm_launch_template_versions')),
    rows(
      'Changed',
      `${perTemplate('cvm_launch_template_default_version_change_timestamp_seconds')} * 1000`,
    ),
    rows(
      'Info',
      `max by (${templateLabels}, image_id, instance_type, charge_type) (cvm_launch_template_default_version_info${regional})`,
    ),
  ],
  columns: [
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'template_id', heading: 'Launch template' },
    { field: 'Value #Default', heading: 'Default version' },
    { field: 'Value #Latest', heading: 'Latest version' },
    { field: 'Value #Behind', heading: 'Behind by' },
    { field: 'Value #Versions', heading: 'Versions' },
    { field: 'Value #Changed', heading: 'Default changed', properties: timeColumn },
    { field: 'image_id', heading: 'Image' },
    { field: 'instance_type', heading: 'Instance type' },
    { field: 'charge_type', heading: 'Charge type' },
  ],
  sortBy: { heading: 'Behind by', descending: true },
});

const typeLabels = `${accountLabels}, region, zone, instance_type, charge_type`;

const launchTable = tablePanel({
  title: 'Launches',
  description:
    'How many instances each launch alone could start, and how many reasons stop it. Empty while a part is unknown.',
  span: 14,
  targets: [
    rows('Headroom', `min by (${launchLabels}) (cvm_launch_headroom${regional})`),
    rows(
      'Blocked',
      `sum by (${launchLabels}) (max by (${launchLabels}, reason) (cvm_launch_blocked${regional}))`,
    ),
    rows(
      'Unknown',
      `sum by (${launchLabels}) (max by (${launchLabels}, part) (cvm_launch_unknown${regional}))`,
    ),
  ],
  columns: [
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'zone', heading: 'Zone' },
    { field: 'template_id', heading: 'Launch template' },
    { field: 'instance_type', heading: 'Instance type' },
    { field: 'charge_type', heading: 'Charge type' },
    { field: 'Value #Headroom', heading: 'Headroom' },
    { field: 'Value #Blocked', heading: 'Reasons that stop it' },
    { field: 'Value #Unknown', heading: 'Unknown parts' },
  ],
  sortBy: { heading: 'Headroom', descending: false },
});

const stockTable = tablePanel({
  title: 'Stock of instance types',
  description: '0 sold out, 1 little, 2 normal, 3 enough.',
  span: 10,
  targets: [
    rows('Stock', `min by (${typeLabels}) (cvm_instance_type_stock_level${regional})`),
    rows('SoldOut', `max by (${typeLabels}) (cvm_instance_type_sold_out${regional})`),
  ],
  columns: [
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'zone', heading: 'Zone' },
    { field: 'instance_type', heading: 'Instance type' },
    { field: 'charge_type', heading: 'Charge type' },
    { field: 'Value #Stock', heading: 'Stock' },
    { field: 'Value #SoldOut', heading: 'Sold out' },
  ],
  sortBy: { heading: 'Stock', descending: false },
});

export const launchTemplates: Section = {
  row: new RowBuilder('Launches and launch templates'),
  panels: [
    launchTable,
    stockTable,
    templateTable,
    graphPanel({
      title: 'Default and latest version',
      description: 'Changes of the default version are marked on every graph.',
      span: 12,
      unit: 'short',
      targets: [
        overTime(perTemplate('cvm_launch_template_default_version'), `${legend} default`),
        overTime(perTemplate('cvm_launch_template_latest_version'), `${legend} latest`),
      ],
    }),
    graphPanel({
      title: 'Changes',
      description: 'Changes that polls found since the last point of the graph.',
      span: 12,
      unit: 'short',
      targets: [
        overTime(
          changes('cvm_launch_template_default_version_changes_total'),
          `${legend} default changed`,
        ),
        overTime(changes('cvm_launch_template_versions_created_total'), `${legend} created`),
        overTime(changes('cvm_launch_template_versions_deleted_total'), `${legend} deleted`),
      ],
    }),
  ],
};

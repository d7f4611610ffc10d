/** The alerts that fire, with a link to their runbook. */
import { linkColumn, placeColumns, tablePanel } from './panels.ts';
import { accountAndRegionIfAny, rows } from './queries.ts';

const labels =
  'alertname, severity, cluster, namespace, account, region, zone, quota_type, template_id, subnet_id, placement_group_id, instance_type, operation, instance';

/**
 * A table and not Grafana's alert list: that one shows the alerts of every data source, and only if the source
 * has the interface for rules.
 */
export const alertTable = tablePanel({
  title: 'Alerts that fire',
  description:
    'From the series ALERTS, which Prometheus records where it evaluates the rules. Alerts about the daemon itself have no account.',
  span: 24,
  targets: [
    rows(
      'Alerts',
      `max by (${labels}) (ALERTS{alertname=~"Cvm.+",alertstate="firing",${accountAndRegionIfAny}})`,
    ),
  ],
  columns: [
    {
      field: 'alertname',
      heading: 'Alert',
      properties: linkColumn('Runbook', '${runbooks}/${__value.text}.md'),
    },
    { field: 'severity', heading: 'Severity' },
    ...placeColumns,
    { field: 'account', heading: 'Account' },
    { field: 'region', heading: 'Region' },
    { field: 'zone', heading: 'Zone' },
    { field: 'quota_type', heading: 'Type' },
    { field: 'template_id', heading: 'Launch template' },
    { field: 'subnet_id', heading: 'Subnet' },
    { field: 'placement_group_id', heading: 'Placement group' },
    { field: 'instance_type', heading: 'Instance type' },
    { field: 'operation', heading: 'Operation' },
    { field: 'instance', heading: 'Daemon' },
  ],
  sortBy: { heading: 'Severity', descending: false },
});

/** The filters of the dashboard. Each filter offers the values that the previous filters allow. */
import {
  ConstantVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { datasource, ofAccount, ofDaemon, regional } from './queries.ts';

function labelVariable(name: string, label: string, series: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(datasource)
    .query({ qryType: 1, query: `label_values(${series}, ${name})`, refId: name })
    .definition(`label_values(${series}, ${name})`)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: ['All'], value: ['$__all'] });
}

/** What an import asks for. Grafana replaces `${DS_PROMETHEUS}` by the answer. */
export const inputs = [
  {
    name: 'DS_PROMETHEUS',
    label: 'Prometheus',
    type: 'datasource',
    pluginId: 'prometheus',
    pluginName: 'Prometheus',
  },
];

function address(name: string, label: string, url: string): ConstantVariableBuilder {
  return new ConstantVariableBuilder(name).label(label).value(url);
}

export const variables = [
  // A provisioned dashboard has no import. Grafana does not know the value then, and chooses the first source.
  new DatasourceVariableBuilder('datasource')
    .label('Data source')
    .type('prometheus')
    .current({ text: '${DS_PROMETHEUS}', value: '${DS_PROMETHEUS}' }),
  address('page', 'Address of the status page', 'http://localhost:10042'),
  address(
    'runbooks',
    'Address of the runbooks',
    'https://github.com/example-org/cvm-quota-monitor/blob/main/docs/runbooks',
  ),
  address('console', 'Address of the console of the cloud', 'https://console.tencentcloud.com/cvm'),
  labelVariable('job', 'Job', 'cvm_monitor_target_up'),
  labelVariable('cluster', 'Cluster', 'cvm_monitor_target_up{job=~"$job"}'),
  labelVariable('namespace', 'Namespace', 'cvm_monitor_target_up{job=~"$job",cluster=~"$cluster"}'),
  labelVariable('account', 'Account', `cvm_monitor_target_up${ofDaemon}`),
  labelVariable('region', 'Region', `cvm_monitor_target_up${ofAccount}`),
  labelVariable(
    'zone',
    'Zone',
    `cvm_quota_limit${regional.replace('}', ',zone!=""}')}`,
  ).description('Quotas of a whole region are shown for every zone.'),
  labelVariable('quota_type', 'Type', `cvm_quota_limit${regional}`),
];

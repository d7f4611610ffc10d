/** The filters of the dashboard. Each filter offers the values that the previous filters allow. */
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { datasource } from './queries.ts';

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

export const variables = [
  new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
  labelVariable('account', 'Account', 'cvm_monitor_target_up'),
  labelVariable('region', 'Region', 'cvm_monitor_target_up{account=~"$account"}'),
  labelVariable(
    'zone',
    'Zone',
    'cvm_quota_limit{account=~"$account",region=~"$region",zone!=""}',
  ).description('Quotas of a whole region are shown for every zone.'),
  labelVariable('quota_type', 'Type', 'cvm_quota_limit{account=~"$account",region=~"$region"}'),
];

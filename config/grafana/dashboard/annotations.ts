/** Marks for changes on every graph. */
import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { datasource, quotaLabels, quotas, regional, templateLabels } from './queries.ts';

// The value is the time. The mark is at the time of the change, for every step of the graph.
export const annotations = [
  new AnnotationQueryBuilder()
    .name('Default version changes')
    .datasource(datasource)
    .enable(true)
    .iconColor('purple')
    .expr(
      `max by (${templateLabels}) (cvm_launch_template_default_version_change_timestamp_seconds${regional}) * 1000`,
    )
    .useValueForTime(true)
    .titleFormat('Default version changed')
    .textFormat('{{template_id}} in {{region}} of {{account}}')
    .tagKeys('cluster,namespace,account,region,template_id'),
  new AnnotationQueryBuilder()
    .name('Limit changes')
    .datasource(datasource)
    .enable(true)
    .iconColor('orange')
    .expr(
      `max by (${quotaLabels}, direction) (cvm_quota_limit_change_timestamp_seconds${quotas()}) * 1000`,
    )
    .useValueForTime(true)
    .titleFormat('Limit {{direction}}')
    .textFormat('{{quota_type}} in {{region}} {{zone}} of {{account}}')
    .tagKeys('cluster,namespace,account,region,zone,quota_type'),
];

/** PromQL that several panels share, and the targets of a panel. */
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

/** The data source that the variable `datasource` selects. */
export const datasource: DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

const scraped = 'job=~"$job",cluster=~"$cluster",namespace=~"$namespace"';
const accountAndRegion = `${scraped},account=~"$account",region=~"$region"`;
/** The same for series of which some have no account or no region. Those are always selected. */
export const accountAndRegionIfAny = `${scraped},account=~"$account|",region=~"$region|"`;

/**
 * Selects quotas by every variable. A quota without a zone applies to all zones, so it is always selected.
 *
 * @param further matchers, each with a comma before it
 */
export function quotas(further = ''): string {
  return `{${accountAndRegion},zone=~"$zone|",quota_type=~"$quota_type"${further}}`;
}

/** Selects launch templates, targets and other objects of an account in a region. */
export const regional = `{${accountAndRegion}}`;
/**
 * The same, narrowed further.
 *
 * @param further matchers, each with a comma before it
 */
export const regionalWith = (further: string) => `{${accountAndRegion}${further}}`;
/** Selects objects of an account that have no region. */
export const ofAccount = `{${scraped},account=~"$account"}`;
/** Selects series that a daemon has of itself. */
export const ofDaemon = `{${scraped}}`;

/** Labels of the target that tell equal names apart. */
export const place = 'cluster, namespace';
export const accountLabels = `${place}, account`;
/** The labels that identify a quota, independent of the daemon that reports it. */
export const quotaLabels = `${accountLabels}, region, zone, template_id, subnet_id, placement_group_id, quota_type, unit`;
export const templateLabels = `${accountLabels}, region, template_id`;
export const targetLabels = `${accountLabels}, region, operation, template_id`;
export const launchLabels = `${accountLabels}, region, template_id, scaling_group_id, zone, instance_type, charge_type`;
export const groupLabels = `${accountLabels}, region, scaling_group_id`;
export const daemonLabels = `${place}, instance`;
/** What a line of a graph is named by. Labels that are absent leave no trace. */
export const legendOfPlace = '{{cluster}} {{namespace}}';
export const legendOfAccount = `${legendOfPlace} {{account}}`;
export const legendOfDaemon = `${legendOfPlace} {{instance}}`;

/**
 * Share of the limit that remains. With a limit of 0, the account does not have this quota, so there is no
 * value. If something is in use nevertheless, the share is 0.
 */
export function remainingRatio(selector = quotas()): string {
  return `cvm_quota_remaining${selector} / (cvm_quota_limit${selector} > 0) or 0 * (cvm_quota_remaining${selector} < 0 or cvm_quota_used${selector} > cvm_quota_limit${selector})`;
}

/** Seconds until nothing remains, as CvmQuotaFillingUp computes them: at the rate of the last hour, absent while use does not grow. */
export const timeToFull = `3600 * clamp_min(cvm_quota_remaining${quotas()}, 0) / (cvm_quota_remaining${quotas()} offset 1h - cvm_quota_remaining${quotas()} > 0)`;

/**
 * The quotas that the daemon judges to be low. A muted quota is none of them unless it is overdrawn.
 *
 * @param further matchers, each with a comma before it
 */
export function judged(further = ''): string {
  return `cvm_quota_severity${quotas(further)}`;
}

/** What remains of each quota at its threshold. */
export function threshold(severity: 'warning' | 'critical'): string {
  return `max by (${quotaLabels}) (cvm_quota_remaining_threshold${quotas(`,severity="${severity}"`)})`;
}

/**
 * Since when an alert has been active, in milliseconds since the Unix epoch: of its series, by those of its labels. Prometheus
 * and vmalert write it where they evaluate the rules.
 */
export function activeSince(alertname: string, labels: string): string {
  return `min by (${labels}) (ALERTS_FOR_STATE{alertname="${alertname}",${accountAndRegionIfAny}}) * 1000`;
}

/**
 * How often a counter rose in the time range. A daemon that moves continues its counters under another address.
 * So the instances are joined before the rise is measured: it would be missed between two of them.
 */
export function risesInRange(labels: string, counter: string): string {
  return `sum(round(increase((max by (${labels}) (${counter}))[$__range:5m]))) or vector(0)`;
}

/** How much a counter rose since the last point of the graph, or up to an hour before it after a downtime. */
export function risesSinceLastPoint(labels: string, counter: string): string {
  const before = `max by (${labels}) (last_over_time(${counter}[1h] offset $__interval))`;
  return `clamp_min(max by (${labels}) (${counter}) - ${before}, 0)`;
}

/** A series over the dashboard's time range. */
export function overTime(expr: string, legend: string): DataqueryBuilder {
  return new DataqueryBuilder().datasource(datasource).expr(expr).legendFormat(legend).range();
}

/** The value now, named by `legend`. */
export function now(expr: string, legend: string): DataqueryBuilder {
  return new DataqueryBuilder().datasource(datasource).expr(expr).legendFormat(legend).instant();
}

/** The values now as rows of a table; the value column becomes `Value #refId`. */
export function rows(refId: string, expr: string): DataqueryBuilder {
  return new DataqueryBuilder()
    .datasource(datasource)
    .refId(refId)
    .expr(expr)
    .format(PromQueryFormat.Table)
    .instant();
}

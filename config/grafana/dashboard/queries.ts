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
/** Selects objects of an account that have no region. */
export const ofAccount = `{${scraped},account=~"$account"}`;
/** Selects series that a daemon has of itself. */
export const ofDaemon = `{${scraped}}`;

type Severity = 'warning' | 'critical';

/** The labels that identify a quota, independent of the daemon that reports it. */
export const quotaLabels = 'account, region, zone, template_id, subnet_id, quota_type, unit';
export const templateLabels = 'account, region, template_id';
export const targetLabels = 'account, region, operation, template_id';

/**
 * Share of the limit that remains. With a limit of 0, the account does not have this quota, so there is no
 * value. If something is in use nevertheless, the share is 0.
 */
export function remainingRatio(selector = quotas()): string {
  return `cvm_quota_remaining${selector} / (cvm_quota_limit${selector} > 0) or 0 * (${overdrawn(selector)})`;
}

/** The overdrawn quotas: more is in use than allowed. */
export function overdrawn(selector = quotas()): string {
  return `cvm_quota_remaining${selector} < 0 or cvm_quota_used${selector} > cvm_quota_limit${selector}`;
}

/** Seconds until nothing remains, at the rate of the last hour; 0 when overdrawn, absent while use does not grow. */
export const timeToFull = `clamp_min(cvm_quota_remaining${quotas()}, 0) / (deriv(cvm_quota_used${quotas()}[1h]) > 0)`;

/**
 * The quotas of which less remains than their threshold. A muted quota has none.
 *
 * @param operator `< bool` gives 1 for these quotas and 0 for the others with a threshold
 */
export function belowThreshold(severity: Severity, operator: '<' | '< bool' = '<'): string {
  return `min by (${quotaLabels}) (cvm_quota_remaining${quotas()}) ${operator} ${threshold(severity)}`;
}

/** What remains of each quota at its threshold. */
export function threshold(severity: Severity): string {
  return `max by (${quotaLabels}) (cvm_quota_remaining_threshold${quotas(`,severity="${severity}"`)})`;
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

/**
 * A range function such as `increase` of a counter that each process has for itself. An address that several
 * daemons answer in turn has no value, because its counters jump. The alert rules record such addresses.
 */
export function ofProcess(rise: 'increase' | 'rate', counter: string, range: string): string {
  return `(${rise}(${counter}[${range}]) unless on (job, instance) cvm:shared_address:info)`;
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

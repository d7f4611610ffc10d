/** PromQL that several panels share, and how a panel asks it. */
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';

/** The data source that the variable of that name selects. */
export const datasource: DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

const accountAndRegion = 'account=~"$account",region=~"$region"';

/**
 * Selects quotas by every variable. A quota without a zone holds in all of them, so it is always in.
 *
 * @param further matchers, each with a comma before it
 */
export function quotas(further = ''): string {
  return `{${accountAndRegion},zone=~"$zone|",quota_type=~"$quota_type"${further}}`;
}

/** Selects launch templates, targets and whatever else an account has in a region. */
export const regional = `{${accountAndRegion}}`;
/** Selects what an account has without a region. */
export const ofAccount = '{account=~"$account"}';

/** What makes a quota one series, whichever daemon reports it. */
export const quotaLabels = 'account, region, zone, quota_type, unit';
export const templateLabels = 'account, region, template_id';
export const targetLabels = 'account, region, operation, template_id';

/**
 * Share of the limit that remains. A limit of 0 is an account without that quota, not a full one,
 * unless something is in use nevertheless: then no share remains.
 */
export function remainingRatio(selector = quotas()): string {
  return `cvm_quota_remaining${selector} / (cvm_quota_limit${selector} > 0) or 0 * (${overdrawn(selector)})`;
}

/** The quotas of which more is in use than allowed. */
export function overdrawn(selector = quotas()): string {
  return `cvm_quota_remaining${selector} < 0 or cvm_quota_used${selector} > cvm_quota_limit${selector}`;
}

/** Seconds until nothing remains, at the last hour's pace; 0 when overdrawn, absent while use does not grow. */
export const timeToFull = `clamp_min(cvm_quota_remaining${quotas()}, 0) / (deriv(cvm_quota_used${quotas()}[1h]) > 0)`;

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

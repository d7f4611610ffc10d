/** The configured links of a row: to its dashboard, and to the runbook of its problem. */
import { html } from 'hono/html';
import { fillLink, runbookLink, type Links, type LinkValues } from '../../../model/links.ts';
import { isOverdrawn } from '../../severity.ts';
import type { Html } from './format.ts';
import type { QuotaRow, TargetState, Watched } from '../../watched.ts';

const targetAlerts: Readonly<Record<TargetState, string | null>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
  pending: null,
  up: null,
};

export function quotaLinks(row: QuotaRow, links: Links): Html | '' {
  const { quota, watched } = row;
  const values = { ...valuesOf(watched), zone: quota.zone, quota_type: quota.type };
  return rowLinks(values, watched.isFresh ? quotaAlert(row) : null, links);
}

export function targetLinks(watched: Watched, links: Links): Html | '' {
  return rowLinks(valuesOf(watched), targetAlerts[watched.state], links);
}

function quotaAlert({ quota, severity }: QuotaRow): string | null {
  if (severity === 'fine') return null;
  return isOverdrawn(quota) || quota.remaining === 0 ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
}

function valuesOf({ record: { target } }: Watched): LinkValues {
  const { account, region, resource } = target;
  return { account, region, ...resource };
}

/** @param alert names the runbook; `null` for a row without a problem */
function rowLinks(values: LinkValues, alert: string | null, links: Links): Html | '' {
  const { grafana, runbooks } = links;
  const runbook = runbooks !== null && alert !== null ? runbookLink(runbooks, alert, values) : null;
  if (grafana === null && runbook === null) return '';
  return html`<small
    >${grafana === null ? '' : html`<a href="${fillLink(grafana, values)}">Dashboard</a>`}
    ${runbook === null ? '' : html`<a href="${runbook}">Runbook</a>`}</small
  >`;
}

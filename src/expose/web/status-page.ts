import { html } from 'hono/html';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { templateIdOf } from '../../model/target.ts';
import type { MonitorView } from '../monitor-view.ts';

/** The page that a person opens: the health of each target, its figures, and the last changes. */
export function statusPage(view: MonitorView) {
  const records = view.published.all();
  const changes = view.published.changes().slice(-20).toReversed();
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="refresh" content="10" />
        <title>cvm-quota-monitor</title>
      </head>
      <body>
        <h1>cvm-quota-monitor</h1>
        <p>Version ${view.build.version}. <a href="/metrics">Metrics</a></p>
        <table>
          <caption>
            Targets
          </caption>
          <tr>
            <th scope="col">account</th>
            <th scope="col">region</th>
            <th scope="col">what</th>
            <th scope="col">state</th>
            <th scope="col">figures</th>
          </tr>
          ${records.map((record) => targetRow(record, view))}
        </table>
        <h2>Changes</h2>
        <ul>
          ${changes.map(
            ({ kind, atMs, account, region, templateId, quotaType, zone, from, to }) =>
              html`<li>
                ${new Date(atMs).toISOString()} ${kind} ${account} ${region} ${templateId}
                ${quotaType} ${zone} ${from} → ${to}
              </li>`,
          )}
        </ul>
      </body>
    </html>`;
}

function targetRow(record: TargetRecord, view: MonitorView) {
  const { target, freshness } = record;
  const nowMs = view.clock.now();
  const up = isUp(record, nowMs, view.staleAfterMs());
  return html`<tr>
    <td>${target.account}</td>
    <td>${target.region}</td>
    <td>${templateIdOf(target) || 'quotas'}</td>
    <td>${up ? 'up' : (freshness.failure?.code ?? 'not polled yet')}</td>
    <td>${isFresh(record, nowMs, view.staleAfterMs()) ? figures(record) : 'stale'}</td>
  </tr>`;
}

function figures(record: TargetRecord): string {
  if (record.kind === 'quota') {
    return (record.snapshot?.quotas ?? [])
      .map(({ type, zone, used, limit }) => `${type} ${zone ?? ''} ${used}/${limit}`)
      .join(', ');
  }
  const { snapshot } = record;
  return `default ${snapshot?.defaultVersion?.version ?? '?'}, latest ${snapshot?.versions.at(-1) ?? '?'}`;
}

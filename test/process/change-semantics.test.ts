/** What counts as a change, row by row of the table in docs/reliability.md, from the service to the metrics. */
import { describe, expect, test } from 'vitest';
import type { ParsedExposition } from '../support/exposition-text.ts';
import { linesByTarget } from '../support/target-lines.ts';
import { quotaRows } from './changes/quota-rows.ts';
import type { Row } from './changes/row.ts';
import { startStage, templateId, zone, type Stage } from './changes/stage.ts';
import { templateRows } from './changes/template-rows.ts';

const place = 'account="production"';

function templateSeries({ series }: ParsedExposition, name: string): number | null {
  const labels = `${place},region="ap-guangzhou",template_id="${templateId}"`;
  return series.get(`cvm_launch_template_${name}{${labels}}`) ?? null;
}

/** Such as `limit postpaid` or `raised prepaid`, of the zone that the rows are about. */
function quotaSeries({ series }: ParsedExposition, name: string): number | null {
  const [what, type] = name.split(' ');
  if (what === 'incomplete') {
    const target = `${place},operation="DescribeAccountQuota",region="ap-guangzhou"`;
    return series.get(`cvm_monitor_target_incomplete{${target}}`) ?? null;
  }
  const labels = `quota_type="${type}",region="ap-guangzhou",unit="instances",zone="${zone}"`;
  const key =
    what === 'raised' || what === 'lowered'
      ? `cvm_quota_limit_changes_total{${place},direction="${what}",${labels}}`
      : `cvm_quota_${what}${what === 'disappeared' ? '_total' : ''}{${place},${labels}}`;
  return series.get(key) ?? null;
}

interface ChangeJson {
  readonly kind: string;
  readonly from: number | string | null;
  readonly to: number | string | null;
}

/** The feed in the order in which the changes were found. */
async function changesOf({ monitor }: Stage): Promise<string[]> {
  const { changes } = (await monitor.json('/api/v1/changes')) as { changes: ChangeJson[] };
  return changes
    .toReversed()
    .map(
      ({ kind, from, to }) => `${kind} ${[from, to].filter((value) => value !== null).join(' → ')}`,
    );
}

async function play(
  { steps }: Row,
  target: string,
  seriesNamed: (exposition: ParsedExposition, name: string) => number | null,
): Promise<void> {
  const stage = await startStage();
  let known = 0;
  for (const { act, changes, series, faults = [] } of steps) {
    act(stage);
    await stage.monitor.cycle();

    const found = await changesOf(stage);
    const exposition = await stage.monitor.metrics();
    const values = Object.keys(series).map((name) => [name, seriesNamed(exposition, name)]);
    const lines = linesByTarget(await stage.monitor.text());
    expect(found.slice(known)).toEqual(changes);
    expect(Object.fromEntries(values)).toEqual(series);
    expect(lines.get(target)?.faults).toEqual(faults);
    known = found.length;
  }
}

const named = (rows: readonly Row[]) => rows.map((row) => [row.name, row] as const);

describe('a launch template', () => {
  test.each(named(templateRows))('%s', (_name, row) =>
    play(row, `production/ap-guangzhou/${templateId}`, templateSeries),
  );

  test('shows when its default version was last seen to change', async () => {
    const stage = await startStage();
    const changedAt = async () =>
      templateSeries(await stage.monitor.metrics(), 'default_version_change_timestamp_seconds');
    expect(await changedAt()).toBeNull();

    stage.emulator.do({
      do: 'set-default-version',
      region: 'ap-guangzhou',
      template_id: templateId,
      version: 5,
    });
    await stage.monitor.cycle();
    const seen = stage.monitor.clock.now() / 1000;
    await stage.monitor.cycle();

    expect(await changedAt()).toBe(seen);
  });
});

describe('a quota', () => {
  test.each(named(quotaRows))('%s', (_name, row) =>
    play(row, 'production/ap-guangzhou/quotas', quotaSeries),
  );
});

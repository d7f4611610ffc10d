import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defaultThresholds } from '../../../../helpers/thresholds.ts';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../../../helpers/fake-monitor.ts';
import { largeFleet } from '../../../../helpers/fleet.ts';
import { watchAll } from '../../../../../src/expose/web/watched.ts';
import { quotasCsv } from '../../../../../src/expose/web/json/quotas-csv.ts';
import { collectors } from '../../../../../src/collectors/collectors.ts';
import { newRecord } from '../../../../helpers/advance.ts';
import type { TargetRecord } from '../../../../../src/model/record.ts';

const header =
  'account,region,zone,quota_type,unit,used,remaining,limit,remaining_ratio,warning_threshold,critical_threshold,severity,target_state,stale,' +
  'last_success_at,change,change_seconds,full_in_seconds';

test('has a line for each quota that the filter admits, with a header that stays', async () => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const monitor = new FakeMonitor(target);
  monitor.nowMs = Date.UTC(2026, 1, 3, 14, 0, 0);
  const image = quota({ type: 'image', used: 12, limit: 10, zone: null });
  monitor.poll(target, quotas(quota({ used: 260, limit: 288 }), image));
  monitor.nowMs += 900_000;
  monitor.poll(target, quotas(quota({ used: 250, limit: 288 }), image));

  const response = await monitor.get('/api/v1/quotas?format=csv&q=p');

  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(await response.text()).toBe(
    [
      header,
      'production,ap-guangzhou,ap-guangzhou-3,postpaid,instances,250,38,288,0.13194444444444445,58,29,warning,up,false,2026-02-03T14:15:00.000Z,-10,900,',
      'production,ap-guangzhou,,image,images,12,-2,10,-0.2,2,1,critical,up,false,2026-02-03T14:15:00.000Z,0,900,',
      '',
    ].join('\r\n'),
  );
  const nothing = await monitor.text('/api/v1/quotas?format=csv&account=nobody');
  expect(nothing).toBe(`${header}\r\n`);
});

test('lets no spreadsheet run what comes from outside', async () => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const monitor = new FakeMonitor(target);
  monitor.poll(target, quotas(quota({ used: 12, limit: 10, zone: '=cmd|"/c calc"!A1' })));

  const text = await monitor.text('/api/v1/quotas?format=csv');

  expect(text).toContain(`,"'=cmd|""/c calc""!A1",postpaid,instances,12,-2,10,`);
});

/** Evaluated records of 10,000 targets with three quotas each. */
function manyTargets() {
  const monitor = largeFleet(1);
  const [first] = monitor.published.all();
  const targets = Array.from({ length: 10_000 }, (_, i) =>
    quotaTarget('account', `ap-region-${i}`),
  );
  monitor.published.replaceAll(
    targets.map((target) => ({ ...newRecord(target), ...first, target })),
  );
  const view = {
    collectors,
    published: monitor.published,
    staleAfterMs: () => 900_000,
    thresholds: () => defaultThresholds,
  };
  return watchAll(view, monitor.nowMs);
}

const everything = {
  accounts: [],
  regions: [],
  kinds: [],
  target: '',
  text: '',
  onlyProblems: false,
};

test('10,000 targets are written in many turns of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turns += 1) await nextTurn();
  };
  const counting = count();

  let lines = 0;
  let longest = 0;
  for await (const part of quotasCsv(manyTargets(), everything)) {
    const text = new TextDecoder().decode(part);
    longest = Math.max(longest, text.length);
    lines += text.split('\r\n').length - 1;
  }
  isOver = true;
  await counting;

  expect(lines).toBe(1 + 30_000);
  expect(turns).toBeGreaterThan(250);
  expect(longest).toBeLessThan(32 * 1024);
});

test('no more lines are made than the client reads', async () => {
  let made = 0;
  const all = manyTargets().map((watched) => ({
    ...watched,
    collector: {
      ...watched.collector,
      quotas: (record: TargetRecord) => {
        made += 1;
        return watched.collector.quotas(record);
      },
    },
  }));
  const reader = quotasCsv(all, everything).getReader();

  await reader.read();
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();

  expect(made).toBeLessThan(200);
  await reader.cancel();
});

/** What scaling groups did, as their activities say it: each is counted once, and says whether its group fails. */
import { expect, test } from 'vitest';
import { isCode } from '../../../src/api/response.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { launchParts } from '../../../src/model/launches/parts/parts.ts';
import { PolledTarget } from '../../support/polled-target.ts';
import { rowsOf } from '../../support/rows.ts';

const [group, other] = ['asg-12wjuh0s', 'asg-2n5kfj3q'];
const targetOf = (groups = [group], foretold: readonly string[] = []) => ({
  ...{ account: 'production', region: 'ap-guangzhou', groups, foretold },
  operation: 'DescribeAutoScalingActivities',
});
const collector = collectors.of(targetOf());
const codes: Readonly<Record<string, string>> = {
  spot: 'LimitExceeded.UserSpotQuota',
  full: 'LimitExceeded.VpcSubnetNum',
};

/** The first poll of a test is at minute 1. */
const at = (minute: number) =>
  new Date(Date.UTC(2026, 1, 3) + minute * 60_000).toISOString().replace('.000', '');

/** A row such as `r 2-31 FAILED spot`: its ID, when it starts and ends, its status and codes. `r 2-` runs. */
function rowOf(given: string) {
  const [id = '', times = '', status, ...refusals] = given.split(' ');
  const [start, end] = times.split(/(?<=\d)-/);
  return {
    ActivityId: `asa-${id}`,
    AutoScalingGroupId: group,
    StatusCode: status ?? (end === '' ? 'RUNNING' : 'SUCCESSFUL'),
    StartTime: at(Number(start)),
    EndTime: end === '' ? null : at(Number(end)),
    DetailedStatusMessageSet: refusals.map((code) => ({
      Code: code === 'null' ? null : (codes[code] ?? code),
      Zone: 'ap-guangzhou-3',
    })),
  };
}
type Row = Readonly<ReturnType<typeof rowOf>>;

/** Polls as the service answers that has these activities, newest first. */
async function poll(polled: PolledTarget, ...rows: readonly (string | Row)[]) {
  const all = rows.map((row) => (typeof row === 'string' ? rowOf(row) : row));
  polled.answer = ({ Offset, StartTime = '', ...parameters }) => {
    const values = Object.values(parameters);
    if (StartTime.includes('.')) throw new Error(StartTime);
    const found = all
      .filter(
        ({ StatusCode }) => !values.includes('RUNNING') || /^(INIT|RUNNING)$/.test(StatusCode),
      )
      .filter(({ ActivityId }) => !('ActivityIds.0' in parameters) || values.includes(ActivityId))
      .filter((row) => row.StartTime >= StartTime)
      .toSorted((a, b) => (a.StartTime < b.StartTime ? 1 : -1));
    const page = found.slice(Number(Offset), Number(Offset) + 100);
    return { TotalCount: found.length, ActivitySet: page };
  };
  return polled.poll();
}

/** What the record shows: counters above 0, and the codes with which groups fail. */
function shown({ record }: PolledTarget): readonly string[] {
  const short = (code: unknown) =>
    Object.keys(codes).find((key) => codes[key] === code) ?? String(code);
  return collector.families.flatMap((family) =>
    family.samples({ record, isFresh: true }).flatMap(({ labels, value }) => {
      const { code, foretold, outcome, reason } = labels;
      if (value === 0) return [];
      if (family.name.endsWith('failing')) return [`fails: ${short(code)}`];
      if (outcome === undefined) return [`${short(code)} (${reason}) ${value}`];
      return [`${outcome}${foretold === 'true' ? ' foretold' : ''} ${value}`];
    }),
  );
}

/** A target that was polled once, and then with each list of rows. */
async function polledWith(...lists: readonly (readonly (string | Row)[])[]) {
  const polled = new PolledTarget(targetOf());
  const changes: string[] = [];
  for (const list of [[], ...lists]) changes.push(...(await poll(polled, ...list)).changes);
  return { polled, changes };
}

test.each(rowsOf<[string, string[][], string, string[]?]>('collectors', 'scaling-activities'))(
  '%s',
  async (_what, lists, expected, changes = []) => {
    const found = await polledWith(...lists);

    expect(shown(found.polled).join(', ')).toBe(expected);
    expect(found.changes).toEqual(
      changes.map((text) => `scale-out-${text.replace(/spot|full/g, (code) => codes[code]!)}`),
    );
  },
);

test('what had ended before the first read is not counted, and what ran then is', async () => {
  const polled = new PolledTarget(targetOf());
  const first = await poll(polled, 'a 0-0 FAILED spot', 'r -600-', 'old -600--599 FAILED full');
  expect([first.changes, shown(polled)]).toEqual([[], ['fails: spot']]);

  await poll(polled, 'a 0-0 FAILED spot', 'r -600-2');
  expect(shown(polled)).toEqual(['successful 1']);
});

test('every outcome of a group begins at 0, also of one that is found later, and one that returns goes on', async () => {
  const { polled } = await polledWith();
  const values = () =>
    collector.families[0]!.samples({ record: polled.record, isFresh: false }).map(
      ({ value }) => value,
    );
  const ofOther = (row: string) => ({ ...rowOf(row), AutoScalingGroupId: other });
  expect(values()).toEqual(Array(8).fill(0));
  await poll(polled, ofOther('x 1-1'));
  polled.select(targetOf([group, other]));
  await poll(polled, ofOther('a 2-2 FAILED spot'));
  expect(values()).toEqual(Array(16).fill(0));

  await poll(polled, ofOther('b 3-3'));
  polled.select(targetOf());
  await poll(polled, ofOther('b 3-3'), ofOther('c 4-4'));
  expect(shown(polled)).toEqual([]);
  polled.select(targetOf([group, other]));
  expect(shown(polled)).toEqual(['successful 2']);
});

test('one that runs while its group leaves the watch is counted, and not asked for any more', async () => {
  const { polled } = await polledWith();
  polled.nowMs += 60 * 60_000;
  await poll(polled, 'r 2-');
  polled.select(targetOf([other]));
  for (let polls = 0; polls < 2; polls += 1) await poll(polled, 'r 2-3', 'a 40-40');
  polled.requests.splice(0);
  await polled.poll();

  expect(polled.requests.length).toBe(1);
  polled.select(targetOf());
  expect(shown(polled)).toEqual(['successful 2']);
});

test('without groups, nothing is asked for, what was counted stays, and the window moves on', async () => {
  const { polled } = await polledWith(['a 2-2']);
  polled.requests.splice(0);
  polled.select(targetOf([]));
  polled.nowMs += 60 * 60_000;
  await polled.poll();

  expect([polled.requests, shown(polled)]).toEqual([[], []]);
  polled.select(targetOf());
  expect(shown(polled)).toEqual(['successful 1']);
  await polled.poll();
  expect(polled.requests).toMatchObject([{ StartTime: at(58) }]);
});

test('the first poll with a group asks what runs, also after polls without one', async () => {
  const polled = new PolledTarget(targetOf([]));
  await polled.poll();
  polled.select(targetOf());
  await poll(polled, 'r -600-');
  await poll(polled, 'r -600-2');

  expect(shown(polled)).toEqual(['successful 1']);
});

test('foretold is what was so when the activity was first seen', async () => {
  const { polled } = await polledWith(['r 2-']);
  polled.select(targetOf([group], [group]));
  await poll(polled, 'r 2-3', 'a 3-3 FAILED spot');

  expect(shown(polled).slice(0, 2)).toEqual(['successful 1', 'failed foretold 1']);
});

test('a group has at most 16 codes, then other', async () => {
  const many = Array.from('abcdefghijklmnopqrst', (letter) => `InternalError.Code${letter}`);
  const { polled } = await polledWith(
    [`a 2-2 FAILED ${many.join(' ')}`],
    [`b 3-3 FAILED ${many[19]}`],
  );

  expect(shown(polled).slice(1, -1)).toEqual([
    ...many.slice(0, 16).map((code) => `${code} (other) 1`),
    'other (other) 2',
  ]);
});

test('the reason of a code stays what it was when the code was first seen', async () => {
  const { polled } = await polledWith(['a 2-2 FAILED spot']);
  polled.record = JSON.parse(JSON.stringify(polled.record).replaceAll('"quota"', '"other"'));
  await poll(polled, 'b 3-3 FAILED spot');

  expect(shown(polled)).toEqual(['failed 2', 'spot (other) 2', 'fails: spot']);
});

test('a poll asks from five minutes before the newest activity on, and by ID for what ran', async () => {
  const { polled } = await polledWith();
  const page = { Offset: '0', Limit: '100' };
  const filter = (n: number, name: string, ...values: readonly string[]) => ({
    [`Filters.${n}.Name`]: name,
    ...Object.fromEntries(values.map((value, i) => [`Filters.${n}.Values.${i}`, value])),
  });
  const types = filter(0, 'activity-type', 'SCALE_OUT', 'REPLACE_UNHEALTHY_INSTANCE');
  expect(polled.requests.splice(0)).toEqual([
    { ...types, StartTime: at(-4), ...page },
    { ...types, ...filter(1, 'activity-status-code', 'INIT', 'RUNNING'), ...page },
  ]);

  polled.nowMs += 20 * 60_000;
  for (let polls = 0; polls < 2; polls += 1) await poll(polled, 'r 1-', 'q 19-', 'a 20-20');
  expect(polled.requests).toEqual([
    { ...types, StartTime: at(-4), ...page },
    { ...types, StartTime: at(15), ...page },
    { 'ActivityIds.0': 'asa-r', ...page },
  ]);
  const { durable } = polled.record;
  await polled.poll();
  expect(polled.record.durable).toBe(durable);
});

test('what ran and is in no answer twice in a row is not asked for any more', async () => {
  const polled = new PolledTarget(targetOf());
  await poll(polled, 'r -60-');
  expect((await poll(polled)).missing).toEqual(['asa-r: not in the answer']);
  await polled.poll();
  polled.requests.splice(0);
  await polled.poll();

  expect(polled.requests.length).toBe(1);
});

test('of more than 100 that ran, those are asked about first that waited longest', async () => {
  const polled = new PolledTarget(targetOf());
  const rows = Array.from({ length: 150 }, (_, i) => `${i} -60-`);
  await poll(polled, ...rows);
  polled.requests.splice(0);
  const { missing } = await polled.poll();
  await polled.poll();

  expect(missing).toEqual(['more than 100 activities run']);
  const asked = polled.requests.flatMap((request) =>
    Object.entries(request).flatMap(([name, id]) => (name.startsWith('ActivityIds') ? [id] : [])),
  );
  expect(asked.length).toBe(200);
  expect(new Set(asked).size).toBe(150);
});

test('more than 10 pages are read in several polls while the list grows, and each row is counted once', async () => {
  const { polled } = await polledWith();
  const rows = Array.from({ length: 2_350 }, (_, i) => `${i} ${2 + i / 60}-${2 + i / 60}`);
  const missing = ['there are more than 1000 activities to read'];
  polled.nowMs += 60 * 60_000;
  polled.requests.splice(0);
  expect((await poll(polled, ...rows.slice(0, 2_300))).missing).toEqual(missing);
  expect(polled.requests.length).toBe(10);
  expect((await poll(polled, ...rows)).missing).toEqual(missing);
  expect((await polled.poll()).missing).toEqual([]);
  await polled.poll();

  expect(shown(polled)).toEqual(['successful 2350']);
});

test('a list without an end is left after 5,000 rows, so that the record stays bounded', async () => {
  const { polled } = await polledWith();
  polled.nowMs += 7_000 * 60_000;
  const rows = Array.from({ length: 7_000 }, (_, i) => `${i} ${2 + i}-${2 + i}`);
  for (let polls = 0; polls < 6; polls += 1) await poll(polled, ...rows);

  expect(shown(polled)).toEqual(['successful 5000']);
  expect(polled.record.durable).toHaveProperty('ended.length', 6);
});

test('a row that cannot be read costs only itself, and one of the future hides no others', async () => {
  const { polled } = await polledWith();
  polled.nowMs += 123;
  const { missing } = await poll(polled, 'a 2-2 WARMING', 'b 9999-9999', 'c 2.5-2.5');
  expect(missing.length).toBe(1);
  await poll(polled, 'd 3-3');

  expect(shown(polled)).toEqual(['successful 3']);
});

test('an answer to a question that another daemon has overtaken counts nothing twice', async () => {
  const { polled } = await polledWith(['a 2-2']);
  const late = polled.record.observed.snapshot!;
  polled.nowMs += 30 * 60_000;
  await poll(polled, 'b 30-30');
  const { differences, durable } = collector.compare(polled.record, late, polled.nowMs);

  expect(differences).toEqual([]);
  expect(polled.record.durable).toMatchObject(durable!);
});

test('every code that a reason lists is shown as it is', () => {
  const words = launchParts.flatMap(({ reasons }) => Object.values(reasons));
  const listed = words.flatMap((each) => each.codes.map((code) => code.replace(/\.?\*$/, '')));

  expect(listed.filter((code) => !isCode(code))).toEqual([]);
});

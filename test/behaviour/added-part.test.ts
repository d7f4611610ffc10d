/** A part of launches that src/ does not know: one row of a list gives it everything. */
import { afterAll, expect, test, vi } from 'vitest';
import { reasonOfCode } from '../../src/model/launches/codes.ts';
import type { LaunchPart } from '../../src/model/launches/parts/part.ts';
import type * as Parts from '../../src/model/launches/parts/parts.ts';
import { temporaryFile } from '../support/directories.ts';
import { generatedParts } from '../support/docs/reference.ts';
import { emulate } from '../support/emulator.ts';
import { runHere } from '../support/in-process.ts';
import { startMonitor } from '../support/monitor.ts';

const { licences, part } = vi.hoisted(() => {
  // Another test file may have loaded the program, with its own list.
  vi.resetModules();
  /** How many instances the licences suffice for; `null` while that is unknown. */
  const licences: { left: number | null } = { left: 2 };
  const part: LaunchPart<'unlicensed'> = {
    name: 'licence',
    operation: 'DescribeLicences',
    isOfEach: true,
    holds: 'the licences that are left',
    reasons: {
      unlicensed: {
        warning: 'on Sundays',
        remedy: 'buy a licence.',
        codes: ['NoLicence.*', 'InvalidImageId.Unlicensed'],
      },
    },
    judge: ({ instanceType }) =>
      instanceType === 'S5.LARGE8'
        ? {
            isKnown: licences.left !== null,
            roomFor: licences.left,
            reason: licences.left === 0 ? 'unlicensed' : null,
            severity: 'critical',
            detail: ' of the office',
            shares: [],
          }
        : null,
    text: ({ detail }, _launch, room) => `${room} licences${detail}`,
  };
  return { licences, part };
});

/** The list of parts with one more row. */
vi.mock('../../src/model/launches/parts/parts.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Parts>();
  return { ...original, launchParts: [...original.launchParts, part] };
});

// The next test file of this process loads the program with the list of src/.
afterAll(() => {
  vi.doUnmock('../../src/model/launches/parts/parts.ts');
  vi.resetModules();
});

const [region, zone] = ['ap-guangzhou', 'ap-guangzhou-3'];
const types = ['S5.LARGE8', 'S6.LARGE8'];
const zones = [
  {
    name: zone,
    postpaid: { used: 0, limit: 100 },
    instance_types: types.map((type) => ({ type, cpu: 2, memory: 8 })),
  },
];
const scenario = { accounts: [{ name: 'production', regions: [{ name: region, zones }] }] };
const entries = types.map((type) => ({ type, zones: [zone], charge_types: ['postpaid'] }));
const configFor = ({ endpoint }: { endpoint: string }) => ({
  api: { endpoint, max_attempts: 1 },
  accounts: [
    {
      name: 'production',
      credentials: { type: 'none' as const },
      launches: true,
      regions: [{ name: region, instance_types: entries }],
    },
  ],
});

interface LaunchJson {
  readonly instance_type: string;
  readonly state: string;
  readonly parts: readonly object[];
}

test('a part that a row adds is judged, and is in metrics, JSON and page, where it applies', async () => {
  licences.left = 2;
  const monitor = await startMonitor({ scenario, config: configFor });
  const found = async () => {
    const { all } = await monitor.samples();
    const own = all.filter(({ name, labels: { part, reason } }) =>
      name === 'cvm_launch_headroom' ? true : part === 'licence' || reason === 'unlicensed',
    );
    return own.map(({ labels, name, value }) => `${name} ${labels.instance_type} ${value}`);
  };
  const parts = async () => {
    const { launches } = (await monitor.json('/api/v1/launches')) as { launches: LaunchJson[] };
    const { parts, state } = launches.find((each) => each.instance_type === 'S5.LARGE8')!;
    return { state, last: parts.at(-1) };
  };
  const page = async () => (await monitor.get('/')).text();
  /** The cells of the part in the strips of both launches. */
  const cells = async () =>
    [...(await page()).matchAll(/<li class="(\w+)">\s*<span[^>]*><i>licence<\/i> <b>(.*?)<\/b>/g)]
      .map(([, state, room = '']) => `${state} ${room.trim()}`)
      .toSorted();

  expect(await found()).toEqual([
    'cvm_launch_headroom S5.LARGE8 2',
    'cvm_launch_headroom S6.LARGE8 100',
    'cvm_launch_blocked S5.LARGE8 0',
    'cvm_launch_unknown S5.LARGE8 0',
  ]);
  const text = '2 licences of the office';
  expect(await parts()).toEqual({
    state: 'fine',
    last: { part: 'licence', known: true, holds: 2, text },
  });
  expect(await page()).toContain(text);
  expect(await page()).toContain('licence of 1 launch is not asked for');
  expect(await cells()).toEqual(['absent –', 'fine 2']);

  licences.left = 0;
  await monitor.cycle();
  expect(await found()).toContain('cvm_launch_severity S5.LARGE8 1');
  const since = new Date(monitor.clock.now()).toISOString();
  expect(await parts()).toMatchObject({
    state: 'blocked',
    last: { holds: 0, reason: 'unlicensed', severity: 'critical', since },
  });
  expect(await page()).toMatch(/verdict critical[^]*1 launch blocked[^]*0 licences of the office/);
  expect(await cells()).toEqual(['absent –', 'critical ! unlicensed']);

  licences.left = null;
  await monitor.cycle();
  expect(await found()).toContain('cvm_launch_unknown S5.LARGE8 1');
  expect(await parts()).toMatchObject({ state: 'unknown', last: { text: 'licence: unknown' } });
  expect(await cells()).toEqual(['absent –', 'unknown ? unknown']);
});

test('a part that a row adds makes check critical', async () => {
  licences.left = 0;
  const { url: endpoint } = await emulate({ scenario });
  const file = await temporaryFile('config.yaml', JSON.stringify(configFor({ endpoint })));

  const { code, stdout } = await runHere(['check', `--config.file=${file}`]);

  expect(stdout).toMatch(
    /^blocked +S5\.LARGE8 configured .* S5\.LARGE8 postpaid .*\n +0 licences of the office/m,
  );
  expect(stdout).toMatch(/1 launch blocked \(S5\.LARGE8 .*: 0 licences of the office\)/);
  expect(code).toBe(2);
});

test('a part that a row adds is in the documents', async () => {
  const parts = await generatedParts();

  expect(parts.get('parts of launches')).toContain(
    '| licence | the licences that are left | `unlicensed` | critical; `unlicensed` is a warning on Sundays |',
  );
  expect(parts.get('remedies for launches')).toContain('- `unlicensed`: buy a licence.');
  expect(parts.get('operations of launches')).toContain('`licence` DescribeLicences.');
  expect(parts.get('codes of refusals')).toContain(
    '| `NoLicence.*`, `InvalidImageId.Unlicensed` | `unlicensed` |',
  );
  // The longest match wins.
  const codes = ['NoLicence.Office', 'InvalidImageId.Unlicensed', 'InvalidImageId.NotFound'];
  expect(codes.map(reasonOfCode)).toEqual(['unlicensed', 'unlicensed', 'refused']);
  expect(parts.get('metrics of launches')).toMatch(
    /version, quota, stock, .*, licence[^]*unlicensed is a warning on Sundays; /,
  );
});

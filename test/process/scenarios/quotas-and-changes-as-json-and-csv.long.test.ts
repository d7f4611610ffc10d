/** The lists under /api/v1: what scripts and spreadsheets read. */
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

async function watched() {
  const service = await startService();
  const guangzhou = service.region('ap-guangzhou');
  const shanghai = service.region('ap-shanghai');
  guangzhou.createTemplate('lt-b8v1kcyq', { versions: [1, 2], default: 1 });
  const daemon = await watchService(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }, 'ap-shanghai'],
  });
  return { daemon, guangzhou, shanghai };
}

type Row = Readonly<Record<string, string | number | null>>;
type Rows = Readonly<Record<string, readonly Row[]>>;

test('The quotas are the same rows in JSON and in CSV', async () => {
  const { daemon, shanghai } = await watched();
  shanghai.setUsed('spotpaid', 'ap-shanghai-3', 241);
  await daemon.cycle();

  const { quotas = [] } = (await daemon.json('/api/v1/quotas')) as Rows;
  const csv = await daemon.get('/api/v1/quotas?format=csv');

  expect(csv.headers.get('content-type')).toContain('text/csv');
  const [header = '', ...lines] = (await csv.text()).trim().split(/\r?\n/);
  expect(header).toMatch(/^account,region,zone,/);
  const columns = header.split(',');
  const cell = (line: string, column: string) => line.split(',')[columns.indexOf(column)];
  const names = ['account', 'region', 'zone', 'quota_type', 'unit', 'used', 'remaining', 'limit'];
  const fromCsv = lines.map((line) => names.map((name) => cell(line, name)).join(','));
  const fromJson = quotas.map((row) => names.map((name) => row[name] ?? '').join(','));
  expect(fromCsv.toSorted()).toEqual(fromJson.toSorted());
  expect(fromJson).toHaveLength(11);
  const overdrawn = quotas.find(({ remaining }) => remaining === -1);
  expect(overdrawn).toMatchObject({ quota_type: 'spotpaid', severity: 'critical', limit: 240 });
});

test('Lists are narrowed by account and region, and an unknown parameter is refused', async () => {
  const { daemon } = await watched();

  const { quotas = [] } = (await daemon.json('/api/v1/quotas?region=ap-shanghai')) as Rows;
  expect(new Set(quotas.map(({ region }) => region))).toEqual(new Set(['ap-shanghai']));
  const { targets = [] } = (await daemon.json('/api/v1/targets')) as Rows;
  expect(targets.map(({ region }) => region)).toEqual([
    'ap-guangzhou',
    'ap-guangzhou',
    'ap-shanghai',
  ]);
  expect((await daemon.get('/api/v1/quotas?regoin=ap-shanghai')).status).toBe(400);
  expect((await daemon.get('/api/v1/nothing')).status).toBe(404);
  expect((await daemon.get('/api/v1/quotas', { method: 'POST' })).status).toBe(405);
});

test('The feed has every change, the newest first, with what it was and what it is', async () => {
  const { daemon, guangzhou, shanghai } = await watched();
  guangzhou.setDefault('lt-b8v1kcyq', 2);
  await daemon.cycle();
  shanghai.setLimit('image', null, 11);
  await daemon.cycle();
  guangzhou.createVersion('lt-b8v1kcyq', 3);
  await daemon.cycle();

  expect(await daemon.feed()).toEqual([
    'lt-b8v1kcyq: default-version-changed 1 → 2',
    'image: quota-limit-raised 10 → 11',
    'lt-b8v1kcyq: version-created 3',
  ]);
  const { changes = [] } = (await daemon.json('/api/v1/changes?region=ap-shanghai')) as Rows;
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({
    kind: 'quota-limit-raised',
    account: 'production',
    region: 'ap-shanghai',
    quota_type: 'image',
    from: 10,
    to: 11,
  });
});

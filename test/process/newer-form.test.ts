import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf, prepareDaemon } from '../support/program.ts';

test('a start that finds a record of a newer version of the program ends with 1, names it, and changes nothing', async () => {
  const daemon = await prepareDaemon({ config: configOf({ url: 'http://127.0.0.1:1' }, {}) });
  const files = {
    'production@ap-x@DescribeAccountQuota.json': '{"version":2,"record":{}}',
    'production@ap-y@DescribeAccountQuota.json': 'damaged',
    'production@ap-y@DescribeAccountQuota.json.tmp': 'half',
  };
  const [newer] = Object.keys(files);
  await mkdir(daemon.storagePath);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(daemon.storagePath, name), text);
  }

  daemon.spawn();

  expect(await daemon.exited).toEqual({ code: 1, signal: null });
  expect(daemon.output).toContain(join(daemon.storagePath, newer!));
  expect(daemon.output).toContain('form 2');
  // Without the lock, too.
  expect((await readdir(daemon.storagePath)).toSorted()).toEqual(Object.keys(files));
});

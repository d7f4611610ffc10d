import { expect, test } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { temporaryFile } from '../support/directories.ts';

test('print-policy allows the operations that the configuration needs, and no other', async () => {
  const text = 'accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]';
  const file = await temporaryFile('config.yaml', text);

  const { stdout } = await runCommand('print-policy', `--config.file=${file}`);

  const statement = { action: ['name/cvm:DescribeAccountQuota'], resource: ['*'] };
  expect(JSON.parse(stdout)).toMatchObject([
    { policy: { version: '2.0', statement: [{ effect: 'allow', ...statement }] } },
  ]);
});

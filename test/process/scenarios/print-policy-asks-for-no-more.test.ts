/** print-policy: the least privileges, one policy for each key and role. */
import { expect, test } from 'vitest';
import { observeText } from '../../support/observe.ts';
import { run } from '../../support/program.ts';

const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';

interface Policy {
  readonly identity: string;
  readonly policy: { readonly statement: readonly { readonly action: readonly string[] }[] };
}

async function actionsOf(account: Readonly<Record<string, unknown>>): Promise<string[]> {
  const { code, stdout } = await run('print-policy', {
    config: { accounts: [{ name: 'a', credentials: { type: 'environment' }, ...account }] },
  });
  expect(code).toBe(0);
  const all = JSON.parse(stdout) as Policy[];
  return all.flatMap(({ policy }) => policy.statement.flatMap(({ action }) => action)).toSorted();
}

test('An account gets the operations that it needs, and no other', async () => {
  expect(await actionsOf({ regions: ['ap-guangzhou'] })).toEqual(['name/cvm:DescribeAccountQuota']);
  const oneTemplate = { name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] };
  expect(await actionsOf({ quota_types: [], regions: [oneTemplate] })).toEqual([
    'name/cvm:DescribeLaunchTemplateVersions',
  ]);
  expect(await actionsOf({ regions: [{ name: 'ap-guangzhou', launch_templates: 'all' }] })).toEqual(
    [
      'name/cvm:DescribeAccountQuota',
      'name/cvm:DescribeLaunchTemplateVersions',
      'name/cvm:DescribeLaunchTemplates',
    ],
  );
  expect(await actionsOf({ regions: 'all' })).toEqual([
    'name/cvm:DescribeAccountQuota',
    'name/cvm:DescribeRegions',
  ]);
});

test('A role gets its policy and its trust, and its source the right to assume it', async () => {
  const credentials = {
    type: 'assume_role',
    role_arn: roleArn,
    external_id: 'example',
    source: { type: 'environment' },
  };
  const { stdout } = await run('print-policy', {
    config: { accounts: [{ name: 'a', credentials, regions: ['ap-guangzhou'] }] },
  });

  observeText(stdout, 'a key and a role');
});

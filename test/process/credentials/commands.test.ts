import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { mainFile, startProgram } from '../../support/command-line.ts';
import { temporaryFile } from '../../support/directories.ts';
import { member, scenario } from './world.ts';

const env = {
  PATH: process.env.PATH,
  TENCENTCLOUD_SECRET_ID: 'central-id',
  TENCENTCLOUD_SECRET_KEY: 'central-key',
};

/** Two accounts, one of which has a role that asks for another external ID. */
async function run(command: string, ...flags: string[]) {
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const watched = { quota_types: ['image'], regions: ['ap-regiona'] };
  const config = {
    api: { endpoint: emulator.url, sts_endpoint: emulator.url },
    accounts: [
      { name: 'right', ...watched },
      { name: 'wrong', credentials: { ...member(), external_id: 'secret-of-ours' }, ...watched },
    ],
  };
  const file = await temporaryFile('config.yaml', JSON.stringify(config));
  const args = [mainFile, command, `--config.file=${file}`, ...flags];
  return startProgram(process.execPath, args, env).result;
}

test('check names the account whose credentials fail, with what to do, and shows the others', async () => {
  const { code, stdout, stderr } = await run('check', '--all');

  expect(code).toBe(3);
  expect(stdout).toMatch(/fine +image +ap-regiona +right/);
  expect(stdout).toMatch(
    /\nCREDENTIALS +CODE +WHAT TO DO\nwrong +Credentials +AssumeRole of qcs\S+ failed with UnauthorizedOperation: check its trust policy, external_id, and the permission sts:AssumeRole of the source/,
  );
  expect(stdout + stderr).not.toContain('secret-of-ours');
});

test('check prints the same as JSON', async () => {
  const { stdout } = await run('check', '--output=json');

  expect(JSON.parse(stdout)).toMatchObject({
    credentials: [{ account: 'wrong', code: 'Credentials' }],
  });
});

test('check-config says where the credentials of each account come from, and shows no external ID', async () => {
  const { code, stdout } = await run('check-config');

  expect(code).toBe(0);
  expect(stdout).toContain(`
credentials
  right  default: on this machine environment: the key in TENCENTCLOUD_SECRET_ID
  wrong  assume_role: qcs::cam::uin/100000000002:roleName/monitor with an external ID, assumed by environment: the key in TENCENTCLOUD_SECRET_ID
`);
  expect(stdout).not.toContain('secret-of-ours');
});

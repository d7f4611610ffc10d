/** The emulator as other projects import it: from the built package, by its name. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { runProgram } from '../support/run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the package exports the emulator', async () => {
  const program = `
    import { createManualClock, startEmulator } from 'cvm-quota-monitor/emulator';
    const emulator = await startEmulator({ clock: createManualClock() });
    emulator.faults.add({ effect: 'error', code: 'InternalError', count: 1 });
    emulator.do({ do: 'set-used', region: 'ap-guangzhou', quota_type: 'image', used: 7 });
    const query = '?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-guangzhou';
    const ask = async () => (await (await fetch(emulator.url + '/' + query)).json()).Response;
    const failed = await ask();
    const answered = await ask();
    await emulator.close();
    console.log(JSON.stringify([
      failed.Error.Code,
      answered.AccountQuotaOverview.AccountQuota.ImageQuotaSet,
      emulator.requests.list().map(({ code }) => code),
    ]));
  `;
  const args = ['--input-type=module', '--eval', program];

  const printed = await runProgram(process.execPath, args, {}, root);

  expect(JSON.parse(printed)).toEqual([
    'InternalError',
    [{ UsedQuota: 7, TotalQuota: 10 }],
    ['InternalError', null],
  ]);
});

test('the types of the exported emulator hold in a strict project', async () => {
  // Every type that a signature of the emulator names.
  const signatureTypes = [
    ...['Account', 'ActionInput', 'ActiveFault', 'BoundedLog<1>', 'Clock', 'Emulator'],
    ...['EmulatorLog', 'EmulatorOptions', 'EmulatorReply', 'EmulatorRequest', 'EmulatorState'],
    ...[
      'FaultRule',
      'FaultRuleInput',
      'Faults',
      'ManualClock',
      'OperationName',
      'Policy',
      'Problem',
    ],
    ...['ReceivedRequest', 'RunningEmulator', 'ScenarioInput', 'ServeOptions', 'StateChange'],
    'TrustPolicy',
  ];
  const typedProgram = `
    import type * as types from 'cvm-quota-monitor/emulator';
    export type All = [${signatureTypes.map((name) => `types.${name}`).join(', ')}];
    import { startEmulator, type FaultRuleInput, type RunningEmulator, type ScenarioInput } from 'cvm-quota-monitor/emulator';
    const scenario: ScenarioInput = {
      accounts: [{ name: 'a', keys: [{ secret_id: 'i', secret_key: 'k' }] }],
    };
    const fault: FaultRuleInput = { effect: 'latency', latency: '50ms' };
    const emulator: RunningEmulator = await startEmulator({ scenario, log: console });
    emulator.faults.add(fault);
    emulator.do({ do: 'set-stock', region: 'ap-x', instance_type: 'S5.LARGE8', stock: 'UnderStock' });
    export const times: string[] = emulator.requests.list().map(({ at }) => at);
    // @ts-expect-error there is no such action
    emulator.do({ do: 'set-colour' });
    // @ts-expect-error there is no such effect
    emulator.faults.add({ effect: 'explode' });
  `;
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'node_modules'));
  await symlink(root, join(directory, 'node_modules', 'cvm-quota-monitor'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  await writeFile(join(directory, 'consumer.ts'), typedProgram);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];

  const compiling = runProgram(
    process.execPath,
    [compiler, ...options, 'consumer.ts'],
    {},
    directory,
  );

  await expect(compiling).resolves.toBe('');
});

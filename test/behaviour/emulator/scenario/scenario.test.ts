import { expect, test } from 'vitest';
import { createEmulator, type ScenarioInput } from '../../../../src/emulator/emulator.ts';
import { temporaryFile } from '../../../support/directories.ts';
import { testMistakes } from '../../../support/mistakes.ts';

testMistakes('scenario/mistakes.yaml', async (text) =>
  createEmulator({ scenario: await temporaryFile('scenario.yaml', text) }),
);

test('an object is validated like a file', async () => {
  const account = { name: 'a', colour: 'red' };
  const scenario: ScenarioInput = { accounts: [account] };

  await expect(createEmulator({ scenario })).rejects.toThrow(
    'scenario: accounts[0].colour: unknown key',
  );
});

/** The answers of the operations: a test for each row of the tables that test/support/answer-rows.ts reads. */
import { beforeAll, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { answerOf, flat, scenarioOf, worldFiles, worldsOf } from '../../support/answer-rows.ts';

/** The value at a path; of a list, the values of all rows. */
function at(value: unknown, [name, ...path]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value) && !(name in value)) return value.map((row) => at(row, [name, ...path]));
  const { [name]: inner = 'absent' } = value as Readonly<Record<string, unknown>>;
  return at(inner, path);
}

for (const world of worldFiles.flatMap(worldsOf)) {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({ scenario: scenarioOf(world) });
  });
  const cases = Object.entries(world.rows).flatMap(([action, rows]) =>
    rows.map(([what, parameters, expected]) => {
      const answer = typeof expected === 'string' ? `a refusal of ${what}` : what;
      const name = [`${action} answers ${answer}`, ...[world.when ?? []].flat()].join(', ');
      return [name, { action, parameters, expected }] as const;
    }),
  );

  test.each(cases)('%s', (_name, { action, parameters, expected }) => {
    const { RequestId, ...answer } = answerOf(emulator, { Action: action, ...flat(parameters) });

    expect(RequestId).toMatch(/^[0-9a-f-]{36}$/);
    if (typeof expected === 'string') {
      expect(answer).toMatchObject({ Error: { Code: expected } });
      return;
    }
    expect(answer).not.toHaveProperty('Error');
    for (const [path, value] of Object.entries(expected)) {
      if (path.includes('.')) expect(at(answer, path.split('.')), path).toEqual(value);
      else expect(answer).toMatchObject({ [path]: value });
    }
  });
}

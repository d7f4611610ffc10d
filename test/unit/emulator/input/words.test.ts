import { expect, test } from 'vitest';
import { z } from 'zod';
import { inCode, inScenarioWords } from '../../../../src/emulator/input/words.ts';
import { scenarioJsonSchema } from '../../../../src/emulator/scenario/scenario.ts';
import { durationPattern } from '../../../../src/validation/parse-duration.ts';

/** The names in a scenario, and whether they are durations. Version data has names of the service. */
function namesIn(node: unknown, found = new Map<string, boolean>()): Map<string, boolean> {
  if (typeof node !== 'object' || node === null) return found;
  const { properties = {} } = node as { properties?: object };
  for (const [name, part] of Object.entries(properties)) {
    const { anyOf = [part] } = part as { anyOf?: readonly { pattern?: string }[] };
    found.set(
      name,
      anyOf.some(({ pattern }) => pattern === durationPattern.source),
    );
  }
  const { VersionData: _data, ...parts } = node as { VersionData?: unknown };
  for (const part of Object.values(parts)) namesIn(part, found);
  return found;
}

const nameInCode = (name: string) =>
  Object.keys(inCode(z.object({ [name]: z.unknown() })).parse({ [name]: 1 }))[0]!;
const nameInScenario = (name: string) => Object.keys(inScenarioWords({ [name]: 1 }))[0]!;

const isDuration = namesIn(scenarioJsonSchema());
const names = [...isDuration.keys()];

test('every name of a scenario has another form for code, and comes back from it', () => {
  expect(names).toContain('timeline_repeats_every');

  expect(names.map(nameInCode).join()).not.toContain('_');
  expect(names.map(nameInCode).map(nameInScenario)).toEqual(names);
});

test('the names of durations have their unit in code, and no other name has one', () => {
  const durations = names.filter((name) => isDuration.get(name));

  // The bounds of a latency are inside latencyMs.
  expect(durations.filter((name) => !nameInCode(name).endsWith('Ms'))).toEqual(['min', 'max']);
  expect(names.filter((name) => nameInCode(name).endsWith('Ms') && !isDuration.get(name))).toEqual(
    [],
  );
});

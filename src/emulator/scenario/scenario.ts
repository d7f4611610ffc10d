/** The scenario: what the emulator begins with, and what happens then. */
import { z } from 'zod';
import { readYamlFile } from '../../validation/read.ts';
import { validate } from '../input/validate.ts';
import { rehearse } from './rehearsal.ts';
import type { ScenarioInput } from './scenario-input.ts';
import { scenarioSchema, type Scenario } from './schema.ts';
import { soundPart } from './sound-part.ts';

/**
 * Finds every mistake at once: those of single values, and then, in the part without them, references to
 * what does not exist and whatever else cannot work.
 */
const checkedSchema = z.unknown().transform((input, context): Scenario => {
  const read = scenarioSchema.safeParse(input);
  const issues = read.error?.issues ?? [];
  for (const issue of issues) context.addIssue({ ...issue, path: [...issue.path] });
  const sound = soundPart(
    input,
    issues.map(({ path }) => path),
  );
  const rest = read.success ? read : scenarioSchema.safeParse(sound.value);
  const mistakes = rest.success ? rehearse(rest.data, sound.leftOut) : [];
  for (const { path, message } of mistakes) {
    context.addIssue({ code: 'custom', path: sound.originalPath(path), message });
  }
  return read.success ? read.data : z.NEVER;
});

/** @throws InvalidFileError with every problem of the file */
export function readScenario(file: string): Promise<Scenario> {
  return readYamlFile(file, checkedSchema, scenarioSchema);
}

/** @throws InvalidInputError with everything that is wrong */
export function validateScenario(input: ScenarioInput): Scenario {
  return validate(checkedSchema, input, 'scenario', scenarioSchema);
}

/** The JSON schema of scenario files, for editors. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, { io: 'input' });
}

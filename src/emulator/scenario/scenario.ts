/** The scenario: the initial state, the timeline and the faults. */
import { z } from 'zod';
import { readYamlFile } from '../../validation/read.ts';
import { validate } from '../input/validate.ts';
import { rehearse } from './rehearsal.ts';
import type { ScenarioInput } from './scenario-input.ts';
import { scenarioSchema, type Scenario } from './schema.ts';
import { soundPart } from './sound-part.ts';

/**
 * Finds all mistakes at once. It first finds mistakes of single values. In the rest it then finds references
 * to objects that do not exist, and other mistakes.
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

/** @throws InvalidFileError with all problems of the file */
export function readScenario(file: string): Promise<Scenario> {
  return readYamlFile(file, checkedSchema, scenarioSchema);
}

/** @throws InvalidInputError with all mistakes */
export function validateScenario(input: ScenarioInput): Scenario {
  return validate(checkedSchema, input, 'scenario', scenarioSchema);
}

/** The JSON schema of scenario files, for editors. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, { io: 'input' });
}

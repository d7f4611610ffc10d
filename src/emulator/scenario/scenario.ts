/** The scenario: the initial state, the timeline and the faults. */
import { z } from 'zod';
import { readYamlFile } from '../../validation/read.ts';
import { validate } from '../input/validate.ts';
import { dryRun } from './dry-run.ts';
import type { ScenarioInput } from './scenario-input.ts';
import { scenarioSchema, type Scenario } from './schema.ts';
import { validPart } from './valid-part.ts';

/**
 * Finds all mistakes at once. It first finds mistakes of single values. In the rest it then finds references
 * to objects that do not exist, and other mistakes.
 */
const checkedSchema = z.unknown().transform((input, context): Scenario => {
  const read = scenarioSchema.safeParse(input);
  const issues = read.error?.issues ?? [];
  for (const issue of issues) context.addIssue({ ...issue, path: [...issue.path] });
  const valid = validPart(
    input,
    issues.map(({ path }) => path),
  );
  const rest = read.success ? read : scenarioSchema.safeParse(valid.value);
  const mistakes = rest.success ? dryRun(rest.data, valid.leftOut) : [];
  for (const { path, message } of mistakes) {
    context.addIssue({ code: 'custom', path: valid.originalPath(path), message });
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

/** The scenario: the initial state, the timeline and the faults. */
import { z } from 'zod';
import { readYamlFile } from '../../validation/read.ts';
import { validate } from '../input/validate.ts';
import { dryRun } from './dry-run.ts';
import type { ScenarioInput } from './scenario-input.ts';
import { scenarioSchema, type Scenario } from './schema.ts';
import { validPart } from './valid-part.ts';

/**
 * Finds all mistakes at once. Mistakes of single values hide those of the lists and maps that contain them, and
 * these hide references to objects that do not exist. What has a mistake is therefore left out, and the rest is
 * read again.
 */
const checkedSchema = z.unknown().transform((input, context): Scenario => {
  let valid = validPart(input, []);
  let read = scenarioSchema.safeParse(input);
  const paths: (readonly PropertyKey[])[] = [];
  for (let issues = read.error?.issues ?? []; issues.length > 0;) {
    for (const issue of issues) {
      const path = valid.originalPath(issue.path);
      paths.push(path);
      context.addIssue({ ...issue, path });
    }
    valid = validPart(input, paths);
    read = scenarioSchema.safeParse(valid.value);
    // A list can lack the elements that were left out. Only other mistakes are new.
    issues = (read.error?.issues ?? []).filter(({ code }) => code === 'custom');
  }
  const mistakes = read.success ? dryRun(read.data, valid.leftOut) : [];
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

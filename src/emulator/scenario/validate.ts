/**
 * Validates input from code and from the control API with a schema, and throws one error with all its mistakes. Scenario
 * files have `readYamlFile`, which also knows the lines of mistakes.
 */
import type { z } from 'zod';
import { explainable, explainIssues, type ExplainedIssue } from '../../validation/explain.ts';
import { formatPath } from '../../validation/problem.ts';

/** Invalid input from code or from the control API. `problems` has all mistakes. */
export class InvalidInputError extends Error {
  readonly problems: readonly string[];

  constructor(what: string, issues: readonly Pick<ExplainedIssue, 'message' | 'path'>[]) {
    const problems = issues.map(({ path, message }) =>
      path.length === 0 ? message : `${formatPath(path)}: ${message}`,
    );
    super(`${what}: ${problems.join('; ')}`);
    this.name = 'InvalidInputError';
    this.problems = problems;
  }
}

/**
 * Returns the output of the schema: the value with its defaults.
 *
 * @param what the name of the input, for the message
 * @throws InvalidInputError with all mistakes
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, what: string) {
  const result = schema.safeParse(value, explainable);
  if (result.success) return result.data;
  throw new InvalidInputError(what, explainIssues(result.error.issues));
}

import type { z } from 'zod';
import { explainIssues } from '../../validation/explain.ts';
import { formatPath } from '../../validation/problem.ts';

/** Something given from code or over the control API that is not valid; says everything that is wrong. */
export class InvalidInputError extends Error {
  readonly problems: readonly string[];

  constructor(what: string, problems: readonly string[]) {
    super(`${what}: ${problems.join('; ')}`);
    this.name = 'InvalidInputError';
    this.problems = problems;
  }
}

/**
 * @param shape knows the keys, where the schema hides them in a function
 * @throws InvalidInputError
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
  shape: z.ZodType = schema,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = explainIssues(result.error.issues, { schema: shape, value }).map(
    ({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`),
  );
  throw new InvalidInputError(what, problems);
}

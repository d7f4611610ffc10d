/** The credentials of a new configuration, from flags or questions. */
import type { z } from 'zod';
import { credentialsSchema } from '../../../config/credentials-schema.ts';
import { explainIssues } from '../../../validation/explain.ts';
import { nearest } from '../../../validation/nearest.ts';
import { UsageError } from '../usage-error.ts';
import type { InitFlags } from './flags.ts';
import type { Questions } from './questions.ts';

/** A type of credentials, as the schema describes it. */
interface CredentialsType {
  readonly name: string;
  readonly description: string;
  /** The keys without which it is invalid. */
  readonly required: readonly (readonly [key: string, schema: z.ZodType])[];
}

const types: readonly CredentialsType[] = credentialsSchema.options.map(({ shape }) => {
  const { type, ...keys } = shape;
  const all: readonly [string, z.ZodType][] = Object.entries(keys);
  return {
    name: type.value,
    description: type.description ?? '',
    required: all.filter(([, schema]) => !schema.safeParse(undefined).success),
  };
});

/** The flag of a key. */
function flagOf(key: string): string {
  return `--credentials.${key.replaceAll('_', '-')}`;
}

/** The flags that are missing where nothing can be asked. */
export function missingCredentialsFlags(
  { credentials }: InitFlags,
  keys: ReadonlyMap<string, string>,
): string[] {
  if (credentials === undefined) return ['--credentials'];
  const { required = [] } = types.find(({ name }) => name === credentials) ?? {};
  return required.filter(([key]) => !keys.has(key)).map(([key]) => flagOf(key));
}

/**
 * @param keys from flags, without the type
 * @returns the part `credentials` of the file
 * @throws UsageError which names each flag that is wrong, without its value
 */
export async function chooseCredentials(
  { credentials: type }: InitFlags,
  keys: ReadonlyMap<string, string>,
  questions: Questions | null,
): Promise<Readonly<Record<string, unknown>>> {
  const name = type ?? (await askType(questions));
  const asked = new Map(keys);
  for (const [key, schema] of types.find((each) => each.name === name)?.required ?? []) {
    if (asked.has(key) || questions === null) continue;
    const judge = (answer: string) => problemOf(schema, answer);
    asked.set(key, await questions.ask(key, judge));
  }
  const { source, ...others } = Object.fromEntries(asked);
  const chosen = {
    type: name,
    ...others,
    ...(source !== undefined && { source: { type: source } }),
  };
  refuseInvalid(chosen);
  return chosen;
}

async function askType(questions: Questions | null): Promise<string> {
  if (questions === null) return 'default';
  questions.show('Where do the credentials come from?');
  for (const { name, description } of types) questions.show(`  ${name.padEnd(12)} ${description}`);
  const names = types.map(({ name }) => name);
  const judge = (answer: string) => {
    if (names.includes(answer)) return null;
    const similar = nearest(answer, names);
    return `expected one of them${similar === null ? '' : `; did you mean ${similar}?`}`;
  };
  return questions.ask('Credentials', judge, 'default');
}

function refuseInvalid(chosen: Readonly<Record<string, unknown>>): void {
  const { error } = credentialsSchema.safeParse(chosen);
  if (error === undefined) return;
  const issues = explainIssues(error.issues, { schema: credentialsSchema, value: chosen });
  const lines = issues.map(({ path, message }) => `${flagOf(String(path[0] ?? ''))}: ${message}`);
  throw new UsageError([...new Set(lines)].join('\nerror: '));
}

/** What is wrong with a value, without the value. */
function problemOf(schema: z.ZodType, value: unknown): string | null {
  const { error } = schema.safeParse(value);
  if (error === undefined) return null;
  return explainIssues(error.issues, { schema, value })[0]?.message ?? 'is not valid';
}

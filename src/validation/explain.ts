/**
 * Turns the issues of a zod schema into sentences that say what to write instead: for files, and for input of the emulator.
 * An unknown key gets the key that was probably meant. Of a union, only one branch is explained: the first whose type
 * the value has; without such a branch, the message of the union counts, or the last branch. All other issues get one
 * sentence each.
 */
import { z } from 'zod';
import { memberOf } from './always.ts';
import { nearest, suggestion } from './nearest.ts';

type Issue = z.core.$ZodIssue;

export interface ExplainedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** True when the key is the mistake, not its value. */
  readonly atKey: boolean;
}

/**
 * The parameters of `safeParse` for {@link explainIssues}: each issue has its value. The message about unknown keys is
 * the list of the keys that the schema knows, with spaces.
 */
export const explainable: z.core.ParseContext<Issue> = {
  reportInput: true,
  error: ({ code, inst }) =>
    code === 'unrecognized_keys' && inst instanceof z.ZodObject
      ? Object.keys(inst.shape).join(' ')
      : undefined,
};

/**
 * Explains every issue of a parse with {@link explainable}. The explanation is logged, and a value can be a secret in a
 * wrong place. So no explanation contains the value.
 */
export function explainIssues(issues: readonly Issue[]): ExplainedIssue[] {
  return issues.flatMap(explain);
}

/** One explanation, or one for each unknown key, or for each issue of the branch of a union. */
function explain(issue: Issue): ExplainedIssue[] {
  const { input: value, path } = issue;
  const atValue = (message: string) => [{ path, atKey: false, message }];
  if (issue.code === 'unrecognized_keys') {
    // The message is the list that `explainable` made.
    const knownKeys = issue.message.split(' ');
    return issue.keys.map((key) => {
      return { path: [...path, key], atKey: true, message: unknownKey(key, knownKeys) };
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branchOfType = issue.errors.find((branch) => !isOfOtherType(branch, value));
    if (branchOfType === undefined && hasOwnMessage(issue)) {
      return atValue(`${issue.message}, found ${nameOfValue(value)}`);
    }
    const branch = branchOfType ?? issue.errors.at(-1) ?? [];
    const [first] = branch;
    if (first?.code === 'invalid_value' && first.path.length === 0) {
      return atValue(wordOrType(first.values, issue.errors));
    }
    return explainIssues(branch.map((inner) => ({ ...inner, path: [...path, ...inner.path] })));
  }
  return atValue(messageOf(issue));
}

/** The message about an unknown key, with the key that was probably meant. `secret_id` may also be the beginning of `secret_id_env`. */
function unknownKey(key: string, knownKeys: readonly string[]): string {
  if (key === '') return 'this key is null or empty: write its name';
  const meant = nearest(key, knownKeys) ?? knownKeys.find((name) => name.startsWith(`${key}_`));
  return meant === undefined ? 'unknown key' : `unknown key; did you mean ${meant}?`;
}

/** The message about a wrong text, where a union allows certain words or values of other types. */
function wordOrType(words: readonly unknown[], branches: readonly (readonly Issue[])[]): string {
  const types = branches
    .flat()
    .flatMap((issue) =>
      issue.code === 'invalid_type' && issue.path.length === 0 ? [nameOfType(issue.expected)] : [],
    );
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  return `must be ${either.format([...words.map(String), ...new Set(types)])}`;
}

/** True if the value itself, not a part of it, has another type than the schema. */
function isOfOtherType(issues: readonly Issue[], value: unknown): boolean {
  return issues.some(
    (issue) =>
      issue.path.length === 0 &&
      (issue.code === 'invalid_type' ||
        (issue.code === 'invalid_value' &&
          issue.values.every((allowed) => typeof allowed !== typeof value))),
  );
}

/** True for a message that our schema gives. The messages of the library begin with these words. */
function hasOwnMessage(issue: Issue): boolean {
  return !issue.message.startsWith('Invalid input');
}

/** The sentence about any other issue than those that `explain` handles itself. */
function messageOf(issue: Issue): string {
  const { input: value } = issue;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = nameOfType(issue.expected);
      if (value === undefined) return `is required (${expected})`;
      const meant = hasOwnMessage(issue) ? issue.message : `expected ${expected}`;
      return `${meant}, found ${nameOfValue(value)}`;
    }
    case 'invalid_value':
      return mustBeOneOf(issue.values, value);
    case 'invalid_union': {
      if (!('options' in issue) || issue.discriminator === undefined) return issue.message;
      const word = memberOf(value, issue.discriminator);
      return `${word === undefined ? 'is required: ' : ''}${mustBeOneOf(issue.options, word)}`;
    }
    case 'invalid_key':
      return issue.issues.map(messageOf).join('; ');
    case 'too_small':
      return isLength(issue) ? issue.message : `must be at least ${issue.minimum}`;
    case 'too_big':
      return isLength(issue) ? issue.message : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** True if a bound is that of a length, not of a number. */
function isLength({ origin }: { readonly origin: string }): boolean {
  return origin === 'array' || origin === 'string';
}

function mustBeOneOf(words: readonly unknown[], value: unknown): string {
  const allowed = words.map(String);
  return `must be one of ${allowed.join(', ')}${suggestion(value, allowed)}`;
}

const namesOfTypes: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  null: 'nothing',
};

function nameOfType(type: string): string {
  return namesOfTypes[type] ?? type;
}

function nameOfValue(value: unknown): string {
  if (value === null) return nameOfType('null');
  if (typeof value === 'string') return 'a text';
  return nameOfType(Array.isArray(value) ? 'array' : typeof value);
}

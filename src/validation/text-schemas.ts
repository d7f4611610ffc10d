/**
 * Schemas of the texts that operators choose, such as paths and names, for `config/` and the types of credentials. Names
 * that the cloud gives are in `collectors/keys.ts`.
 */
import { z } from 'zod';
import { looksLikeSecret } from './secret-like.ts';

/** For `transform` of an optional key: `null` if the key is absent. */
export const orNull = <T>(value: T | undefined): T | null => value ?? null;

/**
 * A text without a mistake.
 *
 * @param problemOf returns the message about the mistake, or `null`
 * @param expected the message about a value that is no text
 */
export const checkedText = (problemOf: (text: string) => string | null, expected?: string) =>
  z.string(expected).superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/**
 * A text that has a pattern and does not look like a secret.
 *
 * @param expected what has the pattern, for the message
 */
export const nonSecretText = (pattern: RegExp, expected: string) =>
  z
    .string()
    .refine((text) => !looksLikeSecret(text), {
      error: `looks like a secret, and this file must not contain secrets; expected ${expected}`,
      abort: true,
    })
    .regex(pattern, { error: `expected ${expected}` });

/** A path: any text but an empty one, unless it looks like a secret. */
export const filePath = nonSecretText(/./, 'the path of a file');

/** A name of an account or a cluster, which becomes a label and a part of keys. */
export const shortName = nonSecretText(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  'up to 63 letters, digits, dots, dashes and underscores',
);

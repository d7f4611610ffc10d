/** The schemas of texts that occur in several places of the configuration. */
import { z } from 'zod';
import { looksLikeSecret } from './secret-like.ts';

/** The value of a key that may be absent. */
export const orNull = <T>(value: T | undefined): T | null => value ?? null;

/** A text. `problemOf` returns what is wrong with it, or `null`. */
export const checkedText = (problemOf: (text: string) => string | null, expected?: string) =>
  z.string(expected).superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A text of a form that is no secret. */
export const nonSecretText = (pattern: RegExp, expected: string) =>
  z
    .string()
    .refine((text) => !looksLikeSecret(text), {
      error: `looks like a secret, and this file must not contain secrets; expected ${expected}`,
      abort: true,
    })
    .regex(pattern, { error: `expected ${expected}` });

export const filePath = nonSecretText(/./, 'the path of a file');

/** The name of an account or a cluster. */
export const shortName = nonSecretText(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  'up to 63 letters, digits, dots, dashes and underscores',
);

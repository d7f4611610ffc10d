/** The schemas of texts that occur in several places of the configuration. */
import { z } from 'zod';
import { looksLikeSecret } from './secret-like.ts';

/** A text. `problemOf` returns what is wrong with it, or `null`. */
export const checkedText = (problemOf: (text: string) => string | null, expected?: string) =>
  z.string(expected).superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** The path of a file. `secretProblem` is the mistake in a text that looks like a secret. */
export const filePath = (secretProblem: string) =>
  z
    .string()
    .min(1, { error: 'expected the path of a file' })
    .refine((path) => !looksLikeSecret(path), { error: secretProblem });

/** The name of an account or a cluster. */
export const accountName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
    error: 'expected up to 63 letters, digits, dots, dashes and underscores',
  })
  .refine((name) => !looksLikeSecret(name), {
    error: 'looks like a secret: this name is shown everywhere, choose another name',
  });

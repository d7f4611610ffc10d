import { z } from 'zod';
import { looksLikeSecret } from './secret-like.ts';

/** The name of an account or a cluster. */
export const accountName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
    error: 'expected up to 63 letters, digits, dots, dashes and underscores',
  })
  .refine((name) => !looksLikeSecret(name), {
    error: 'looks like a secret: this name is shown everywhere, choose another name',
  });

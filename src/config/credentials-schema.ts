import { z } from 'zod';

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected the name of an environment variable' });
const file = z.string().min(1, { error: 'expected the path of a file' });

/** Where an account's credentials come from. Secrets themselves never stand in the configuration. */
export const credentialsSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none').describe('Requests are not signed.') }),
  z.strictObject({
    type: z.literal('environment').describe('From environment variables.'),
    secret_id: variable.default('TENCENTCLOUD_SECRET_ID').describe('Name of the variable.'),
    secret_key: variable.default('TENCENTCLOUD_SECRET_KEY').describe('Name of the variable.'),
    token: variable.optional().describe('Name of the variable of the session token.'),
  }),
  z.strictObject({
    type: z.literal('files').describe('From files, read again when they change.'),
    secret_id_file: file,
    secret_key_file: file,
    token_file: file.optional(),
  }),
]);

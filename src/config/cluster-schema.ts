/** The schema of `cluster` in the configuration, with which several daemons share the accounts. `config/schema.ts` has it. */
import { z } from 'zod';
import { duration } from '../validation/duration.ts';
import { shortName, checkedText, filePath } from '../validation/text-schemas.ts';

/** The mistake in the address of Redis. No message contains it: it may have a password. */
function redisProblem(text: string): string | null {
  if (text.includes('@')) {
    return 'this file must not contain secrets: write the user name to username, and the path of a file with the password to password_file';
  }
  const isAddress =
    /^rediss?:\/\/[^/?#]+(\/\d{1,2})?\/?$/.test(text) &&
    URL.canParse(text) &&
    new URL(text).hostname !== '';
  return isAddress
    ? null
    : 'expected redis:// or rediss://, a host, and perhaps a port and a database, such as redis://valkey:6379/0';
}

const redisFields = z.strictObject({
  url: checkedText(redisProblem).describe('The address of Redis or Valkey, with TLS in rediss://.'),
  username: z.string().min(1).optional().describe('The user of Redis. Default: its default user.'),
  password_file: filePath.optional().describe('A file with the password. Read at the start.'),
  ca_file: filePath
    .optional()
    .describe(
      'A PEM file with authorities for rediss://, besides the built-in ones. Read at the start.',
    ),
});

const redisSchema = redisFields.superRefine(({ ca_file, url }, context) => {
  if (!ca_file || !url.startsWith('redis://')) return;
  const message = 'has no use with redis://, which is not encrypted: write rediss:// to url';
  context.addIssue({ code: 'custom', path: ['ca_file'], message });
});

export const clusterSchema = z
  .strictObject({
    name: shortName.describe('The prefix of all keys in Redis.'),
    redis: redisSchema.describe('Where the daemons keep the records and the cycles.'),
    lock: duration({ min: '2s', max: '10m' })
      .prefault('15s')
      .describe(
        'How long a daemon may be silent before its cycles are given to another. A take-over takes up to 2 s longer.',
      ),
  })
  .transform(({ name, redis, lock }) => ({
    /** The prefix of all keys in Redis. */
    name,
    url: redis.url,
    /** `null` for the default user of Redis. */
    username: redis.username ?? null,
    /** `null`: no password. */
    passwordFile: redis.password_file ?? null,
    /** `null`: only the built-in authorities are trusted. */
    authorityFile: redis.ca_file ?? null,
    lockMs: lock,
  }));

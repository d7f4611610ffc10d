import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseEnvelope } from '../../../src/api/response.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import { repository } from '../../support/docs/markdown.ts';
import { rowsOf } from '../../support/rows.ts';

const open = (value: unknown) => parseEnvelope(JSON.stringify(value));

function failureOf(value: unknown): CodedError {
  try {
    open(value);
  } catch (error) {
    if (error instanceof CodedError) return error;
  }
  throw new Error('the envelope was accepted');
}

it('an envelope gives the fields and the RequestId', () => {
  expect(open({ Response: { AppId: 1, RequestId: 'b2da6ace-add1' } })).toMatchObject({
    fields: { AppId: 1 },
    requestId: 'b2da6ace-add1',
  });
});

it.each([undefined, null, 7, 'x'.repeat(20), 'x-'.repeat(33), 'a b'])(
  'an envelope may have %j as RequestId',
  (RequestId) => {
    expect(open({ Response: { RequestId } }).requestId).toBeNull();
  },
);

it('an envelope may have null as error', () => {
  expect(open({ Response: { Error: null, AppId: 1 } }).fields).toMatchObject({ AppId: 1 });
});

it.each(rowsOf<unknown>('api', 'wrong-envelopes'))(
  'an envelope of the wrong shape is refused: %j',
  (value) => {
    expect(failureOf(value)).toMatchObject({ code: 'InvalidResponse' });
  },
);

it.each(['', '<html>Bad Gateway</html>', '{"Response":', '\u0000'])(
  'an envelope that is not JSON is refused: %j',
  (body) => {
    expect(() => parseEnvelope(body)).toThrow(
      expect.objectContaining({
        code: 'InvalidResponse',
        retryCode: 'InvalidResponse.Unparsable',
      }),
    );
  },
);

it.each([
  '',
  'internalError',
  'Internal Error',
  'Internal_Error',
  'A.',
  'A\n',
  'A-'.repeat(41),
  '🦀',
])(
  'an error of the service with the code %j is counted as Other, and keeps its RequestId',
  (Code) => {
    const error = failureOf({
      Response: { Error: { Code, Message: 'No.' }, RequestId: 'b2da6ace' },
    });

    expect(error).toMatchObject({ code: 'Other', requestId: 'b2da6ace' });
    expect(error.message).toContain('No.');
    expect(error.message).toContain(Code.trim().slice(0, 80));
    expect(error.message.length).toBeLessThan(150);
  },
);

it.each(['InternalError', {}, { Code: null }, { Code: 7, Message: 'No.' }])(
  'an error of the service that is %j is an invalid answer, and keeps its RequestId',
  (Error) => {
    expect(failureOf({ Response: { Error, RequestId: 'b2da6ace' } })).toMatchObject({
      code: 'InvalidResponse',
      requestId: 'b2da6ace',
    });
  },
);

it('an error of the service keeps its code, its message and its RequestId', () => {
  const error = failureOf({
    Response: {
      Error: { Code: 'InvalidZone.MismatchRegion', Message: 'The zone does not exist.' },
      RequestId: 'b2da6ace',
    },
  });

  expect(error).toMatchObject({
    code: 'InvalidZone.MismatchRegion',
    message: 'the service refused the request: The zone does not exist.',
    requestId: 'b2da6ace',
  });
});

it.each([undefined, null, 7, ''])('an error of the service may have %j as message', (Message) => {
  expect(failureOf({ Response: { Error: { Code: 'InternalError', Message } } }).message).toBe(
    'the service refused the request: InternalError',
  );
});

it('an error of the service has a message of one bounded printable line', () => {
  const Message = `first\r\nsecond\u001b[31m\u2028\u202e${'x '.repeat(1_000_000)}`;

  const { message } = failureOf({ Response: { Error: { Code: 'InternalError', Message } } });

  expect(message).toMatch(/: first second \[31m [x ]+$/);
  expect(message.length).toBeLessThanOrEqual(250);
});

it.each([
  ['the runs of 20 characters', 'aA0+/=_%aA0+/=_%aA0+', 'aA0+…'],
  ['a longer one between others', `no ${'k'.repeat(5_000)}, no`, 'no kkkk…, no'],
  ['no run of 19', 'b'.repeat(19), 'b'.repeat(19)],
  [
    'no UUID and no name',
    'b2da6ace-add1-4b9c-8d5e-0d2f6c1a7e33 lt-b8v1kcyq',
    'b2da6ace-add1-4b9c-8d5e-0d2f6c1a7e33 lt-b8v1kcyq',
  ],
  [
    'what would begin where the message ends',
    `${`${'k'.repeat(400)} `.repeat(2)}${'s'.repeat(40)}`,
    'kkkk… kkkk… ssss…',
  ],
])('of the message of an error of the service, %s are cut', (_what, Message, shown) => {
  const { message } = failureOf({ Response: { Error: { Code: 'InternalError', Message } } });

  expect(message).toBe(`the service refused the request: ${shown}`);
});

/** The codes of docs/service.md, and odd ones of the lists of error codes in the official SDKs. */
const codes = [
  ...readFileSync(join(repository, 'docs/service.md'), 'utf8').matchAll(
    /`([A-Z][a-z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]+)?)`/g,
  ),
].map(([, code]) => code!);
const odd = rowsOf<string>('api', 'odd-codes');

it('an error of the service can have every documented code', () => {
  const shown = (Code: string) => failureOf({ Response: { Error: { Code } } }).code;

  expect(codes.length).toBeGreaterThan(100);
  expect([...codes, ...odd].filter((code) => shown(code) !== code)).toEqual([]);
});

/** Keys, tokens and signatures with a fixed seed, as a service could repeat them. */
const secrets = fc
  .sample(
    fc.record({
      bytes: fc.uint8Array({ minLength: 24, maxLength: 200 }),
      form: fc.constantFrom<(text: Buffer) => string>(
        (bytes) => bytes.toString('hex'),
        (bytes) => bytes.toString('base64'),
        (bytes) => encodeURIComponent(bytes.toString('base64')),
        (bytes) => `AKID${bytes.toString('base64').replace(/[+/=]/g, 'x').slice(0, 32)}`,
        (bytes) => Buffer.from(bytes.toString('base64')).toString('base64'),
      ),
    }),
    { seed: 1, numRuns: 500 },
  )
  .map(({ bytes, form }) => form(Buffer.from(bytes)));

it('a secret in any encoding is in no code, message or RequestId of an error of the service', () => {
  for (const secret of secrets) {
    for (const Code of [secret, `InvalidParameterValue.${secret}`, `A.${secret}.B`]) {
      const RequestId = secret;
      const Message = `"${secret}" Signature=${secret}, ${secret}`;
      const { code, message, requestId } = failureOf({
        Response: { Error: { Code, Message }, RequestId },
      });

      const parts = `${code} ${message} ${requestId}`.split(/[^\w+/=%]+/);
      expect([code, requestId]).toEqual(['Other', null]);
      expect(parts.filter((part) => part.length > 4 && secret.includes(part))).toEqual([]);
    }
  }
});

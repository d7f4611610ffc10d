import { expect, it } from 'vitest';
import { parseEnvelope } from '../../../src/api/response.ts';
import { CodedError } from '../../../src/model/coded-error.ts';

const open = (value: unknown, secrets: readonly string[] = []) =>
  parseEnvelope(JSON.stringify(value), secrets);

function failureOf(value: unknown, secrets: readonly string[] = []): CodedError {
  try {
    open(value, secrets);
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

it.each([undefined, null, 7, 'x'.repeat(65), 'a b'])(
  'an envelope may have %j as RequestId',
  (RequestId) => {
    expect(open({ Response: { RequestId } }).requestId).toBeNull();
  },
);

it('an envelope may have null as error', () => {
  expect(open({ Response: { Error: null, AppId: 1 } }).fields).toMatchObject({ AppId: 1 });
});

it.each([
  null,
  [],
  7,
  'text',
  {},
  { Response: null },
  { Response: [] },
  { Response: 'text' },
  { Response: { Error: 'InternalError' } },
  { Response: { Error: {} } },
  { Response: { Error: { Code: null } } },
])('an envelope of the wrong shape is refused: %j', (value) => {
  expect(failureOf(value)).toMatchObject({ code: 'InvalidResponse' });
});

it.each(['', '<html>Bad Gateway</html>', '{"Response":', '\u0000'])(
  'an envelope that is not JSON is refused: %j',
  (body) => {
    expect(() => parseEnvelope(body, [])).toThrow(
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
  'A'.repeat(65),
  '🦀',
])(
  'an error of the service with the code %j is counted as Other, and keeps its RequestId',
  (Code) => {
    const error = failureOf({
      Response: { Error: { Code, Message: 'No.' }, RequestId: 'b2da6ace' },
    });

    expect(error).toMatchObject({ code: 'Other', requestId: 'b2da6ace' });
    expect(error.message).toContain('No.');
    expect(error.message).toContain(Code.trim().slice(0, 64));
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
  const Message = `first\r\nsecond\u001b[31m\u2028\u202e${'x'.repeat(1_000_000)}`;

  const { message } = failureOf({ Response: { Error: { Code: 'InternalError', Message } } });

  expect(message).toMatch(/: first second \[31m x+$/);
  expect(message.length).toBeLessThanOrEqual(250);
});

it('an error of the service does not repeat a secret, plain or encoded', () => {
  const Message = 'key/with+signs, key%2Fwith%2Bsigns';

  const { message } = failureOf({ Response: { Error: { Code: 'InternalError', Message } } }, [
    'key/with+signs',
  ]);

  expect(message).toBe('the service refused the request: [redacted], [redacted]');
});

it.each(['AKIDexample', 'Refused.AKIDexample'])(
  'an error of the service has no code that holds a secret: %s',
  (Code) => {
    const error = failureOf({ Response: { Error: { Code }, RequestId: 'b2da6ace' } }, [
      'AKIDexample',
    ]);

    expect(error).toMatchObject({ code: 'Other', requestId: 'b2da6ace' });
    expect(error.message).not.toContain('AKIDexample');
  },
);

import { expect, test } from 'vitest';
import { createLogger, logFormats, logLevels, type LogLevel } from '../../src/log.ts';

function linesOf(format: 'logfmt' | 'json', level: LogLevel = 'info') {
  const lines: string[] = [];
  return { lines, logger: createLogger({ format, level, write: (line) => lines.push(line) }) };
}

test.each<[unknown, string]>([
  ['word', 'word'],
  ['two words', '"two words"'],
  ['', '""'],
  ['a "b" \n c', String.raw`"a \"b\" \n c"`],
  ['a=b', '"a=b"'],
  ['a\\b', String.raw`"a\\b"`],
  ['übung-日本-🙂', 'übung-日本-🙂'],
  [3, '3'],
  [null, 'null'],
  [false, 'false'],
  [{ a: [1, 'b c'] }, String.raw`"{\"a\":[1,\"b c\"]}"`],
  ['\u001b[31m', String.raw`"\u001b[31m"`],
  ['\u007f\u0085', String.raw`"\u007f\u0085"`],
  ['a\u202eb\u2066', String.raw`"a\u202eb\u2066"`],
  ['\u2028\u2029', String.raw`"\u2028\u2029"`],
  ['\u{e0041}\ud800', String.raw`"\udb40\udc41\ud800"`],
])('logfmt writes %j as %s', (value, text) => {
  const { lines, logger } = linesOf('logfmt');

  logger.info('target is failing', { value });

  expect(lines[0]?.replace(/^ts=\S+ /, '')).toBe(
    `level=info msg="target is failing" value=${text}\n`,
  );
});

test('a JSON line has the same fields, and no character that controls a terminal', () => {
  const { lines, logger } = linesOf('json');
  const reason = 'a\n\u001b[31m\u0085\u202eb\u2028 🙂';

  logger.warn('change', { kind: 'zone-appeared', reason, absent: undefined });

  expect(JSON.parse(lines[0] ?? '')).toEqual({
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    level: 'warn',
    msg: 'change',
    kind: 'zone-appeared',
    reason,
  });
  expect(lines[0]).toMatch(/^[ -~🙂]*\n$/u);
});

test('lines below the level are not written, and their fields are not made', () => {
  const { lines, logger } = linesOf('logfmt', 'warn');

  logger.info('x');
  logger.debug('y', () => {
    throw new Error('made');
  });
  logger.error('z');

  expect(lines).toEqual([expect.stringContaining('msg=z\n')]);
});

test.each(logFormats.flatMap((format) => logLevels.map((level) => ({ format, level }))))(
  'an error is its message and stack, never its other fields ($format, $level)',
  ({ format, level }) => {
    const { lines, logger } = linesOf(format, level);
    const error = Object.assign(new Error('request failed'), {
      request: { headers: { authorization: 'SECRET' } },
      cause: { secretKey: 'SECRET' },
    });

    if (level === 'debug') logger.debug('unexpected', () => ({ err: error }));
    else logger[level]('unexpected', { err: error });

    expect(lines[0]).toMatch(/request failed.*log\.test\.ts/);
    expect(lines[0]).not.toContain('SECRET');
  },
);

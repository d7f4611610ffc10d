import { expect, test } from 'vitest';
import { logFormats, logLevels } from '../../../src/logging/log-options.ts';
import { createLogger } from '../../../src/logging/create-logger.ts';

function linesOf(format: 'logfmt' | 'json', level: 'debug' | 'info' | 'warn' | 'error' = 'info') {
  const lines: string[] = [];
  return { lines, logger: createLogger({ format, level, write: (line) => lines.push(line) }) };
}

test('logfmt quotes what would not be one word', () => {
  const { lines, logger } = linesOf('logfmt');

  logger.info('target is failing', { code: 'Timeout', reason: 'a "b" \n c', n: 3, none: null });

  expect(lines[0]?.replace(/^ts=\S+ /, '')).toBe(
    'level=info msg="target is failing" code=Timeout reason="a \\"b\\" \\n c" n=3 none=null\n',
  );
});

test('JSON lines hold the same fields', () => {
  const { lines, logger } = linesOf('json');

  logger.warn('change', { kind: 'zone-appeared' });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: 'change',
    kind: 'zone-appeared',
  });
});

test('lines below the level are not written', () => {
  const { lines, logger } = linesOf('logfmt', 'warn');

  logger.info('x');
  logger.error('y');

  expect(lines).toHaveLength(1);
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

    expect(lines[0]).toContain('request failed');
    expect(lines[0]).not.toContain('SECRET');
  },
);

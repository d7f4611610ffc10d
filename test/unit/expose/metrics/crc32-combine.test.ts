import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc32 } from '../../../../src/expose/metrics/crc32-combine.ts';

test('the checksum of two texts is that of both together', () => {
  const bytes = fc.uint8Array({ size: 'large' });

  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const combined = combineCrc32(crc32(first), crc32(second), second.length);

      expect(combined).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

test('is right for parts of megabytes', () => {
  const first = Buffer.alloc(5_000_001, 'first');
  const second = Buffer.alloc(20_000_003, 'second');

  const combined = combineCrc32(crc32(first), crc32(second), second.length);

  expect(combined).toBe(crc32(Buffer.concat([first, second])));
});

import { gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deflateHead, gzipWithTail } from '../../../../src/expose/metrics/gzip-parts.ts';

test('any head and tail make one gzip stream of both', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ size: 'large' }), fc.uint8Array(), async (head, tail) => {
      const stream = await gzipWithTail(await deflateHead(Buffer.from(head)), Buffer.from(tail));

      expect(gunzipSync(stream)).toEqual(Buffer.concat([head, tail]));
    }),
  );
});

test('the stream has a single member, so that readers of one member get all of it', async () => {
  const stream = await gzipWithTail(await deflateHead(Buffer.from('head')), Buffer.from('tail'));

  const header = 10;
  const trailer = 8;
  expect(String(inflateRawSync(stream.subarray(header, -trailer)))).toBe('headtail');
});

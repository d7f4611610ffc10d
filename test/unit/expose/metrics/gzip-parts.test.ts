import { gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipPart, joinGzip } from '../../../../src/expose/metrics/gzip-parts.ts';

const join = async (texts: readonly Uint8Array[]) =>
  joinGzip(await Promise.all(texts.map((text) => gzipPart(Buffer.from(text)))));

test('any parts make one gzip stream of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ size: 'large' })), async (texts) => {
      expect(gunzipSync(await join(texts))).toEqual(Buffer.concat(texts));
    }),
  );
});

test('the stream has a single member, so that readers of one member get all of it', async () => {
  const stream = await join([Buffer.from('head'), Buffer.from('tail')]);

  const header = 10;
  const trailer = 8;
  expect(String(inflateRawSync(stream.subarray(header, -trailer)))).toBe('headtail');
});

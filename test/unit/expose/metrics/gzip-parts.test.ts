import { gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipPart, joinGzip } from '../../../../src/expose/metrics/gzip-parts.ts';

const join = (texts: readonly Uint8Array[]) =>
  joinGzip(texts.map((text) => gzipPart(Buffer.from(text))));

test('any parts make one gzip stream of all of them', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ size: 'large' })), (texts) => {
      expect(gunzipSync(join(texts))).toEqual(Buffer.concat(texts));
    }),
  );
});

test('the stream has a single member, so that readers of one member get all of it', () => {
  const stream = join([Buffer.from('head'), Buffer.from('tail')]);

  const header = 10;
  const trailer = 8;
  expect(String(inflateRawSync(stream.subarray(header, -trailer)))).toBe('headtail');
});

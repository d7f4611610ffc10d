/**
 * Compresses a long text in parts, so that only changed parts are compressed again. It joins them into one gzip
 * stream with a single member: deflate blocks may be concatenated (RFC 1951, section 2.3), and checksums may be
 * combined. A goal of `npm run bench` needs this: a compressed scrape must be almost as fast as that of a bare
 * server, also while targets change.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { combineCrc32 } from './crc32-combine.ts';

/** The compressed form of a text. */
export interface GzipPart {
  /** Deflate blocks that end on a byte boundary. None of them is marked as the final one. */
  readonly blocks: Buffer;
  /** The checksum of the plain text. */
  readonly sizeBytes: number;
  readonly checksum: number;
}

const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that is marked as the final one. */
const end = Buffer.from([3, 0]);
/** Each scrape has one reader in a near network, so speed is more important than the best compression. */
const level = 1;

/**
 * Compresses a part synchronously. The thread pool would compete for a core with the scrapes that wait
 * for it, and 100 KB of an exposition take only a fifth of a millisecond.
 */
export function gzipPart(plain: Buffer): GzipPart {
  const deflated = deflateRawSync(plain, { level, finishFlush: constants.Z_SYNC_FLUSH });
  // zlib gives a piece of a chunk of 16 KiB, which would stay in memory with it.
  const blocks = Buffer.allocUnsafeSlow(deflated.length);
  deflated.copy(blocks);
  return { blocks, sizeBytes: plain.length, checksum: crc32(plain) };
}

/** The gzip stream of the parts' texts, one after the other. */
export function joinGzip(parts: readonly GzipPart[]): Buffer<ArrayBuffer> {
  let size = 0;
  let sum = 0;
  for (const { sizeBytes, checksum } of parts) {
    sum = combineCrc32(sum, checksum, sizeBytes);
    size += sizeBytes;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  return Buffer.concat([header, ...parts.map(({ blocks }) => blocks), end, trailer]);
}

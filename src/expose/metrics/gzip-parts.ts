/**
 * Compresses a long text in parts, so that only those that changed are compressed anew, and joins
 * them into one gzip stream of a single member: deflate blocks may be concatenated (RFC 1951, section
 * 2.3), and the checksum of each part continues from that of the part before (RFC 1952).
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** A text and its compressed form. */
export interface GzipPart {
  readonly plain: Buffer;
  /** Deflate blocks that end on a byte boundary, none of them the final one. */
  readonly blocks: Buffer;
}

const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that is the final one. */
const end = Buffer.from([3, 0]);
/** A scrape is compressed for one reader on a near network: speed counts, not the last percent. */
const level = 1;

/** Compresses a part, off the event loop. */
export async function gzipPart(plain: Buffer): Promise<GzipPart> {
  const blocks = await deflate(plain, { level, finishFlush: constants.Z_SYNC_FLUSH });
  return { plain, blocks };
}

/** The gzip stream of the parts' texts, one after the other. */
export function joinGzip(parts: readonly GzipPart[]): Buffer<ArrayBuffer> {
  let checksum = 0;
  let sizeBytes = 0;
  for (const { plain } of parts) {
    // The checksum of nothing is 0 for zlib, whatever it should continue.
    if (plain.length > 0) checksum = crc32(plain, checksum);
    sizeBytes += plain.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(sizeBytes % 2 ** 32, 4);
  return Buffer.concat([header, ...parts.map(({ blocks }) => blocks), end, trailer]);
}

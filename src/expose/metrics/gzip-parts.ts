/**
 * Compresses a long text that seldom changes apart from a short one that often does, and joins both
 * into one gzip stream of a single member: deflate blocks may be concatenated (RFC 1951, section
 * 2.3), and the checksum of the whole continues from that of its head (RFC 1952).
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

export interface DeflatedHead {
  /** Deflate blocks that end on a byte boundary, none of them the final one. */
  readonly blocks: Buffer;
  /** Of the plain text. */
  readonly sizeBytes: number;
  readonly checksum: number;
}

const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** A scrape is compressed for one reader on a near network: speed counts, not the last percent. */
const level = 1;

/** Compresses the beginning of a text. */
export async function deflateHead(plain: Buffer): Promise<DeflatedHead> {
  const blocks = await deflate(plain, { level, finishFlush: constants.Z_SYNC_FLUSH });
  return { blocks, sizeBytes: plain.length, checksum: crc32(plain) };
}

/** The gzip stream of a text that begins with `head` and ends with `tail`. */
export async function gzipWithTail(head: DeflatedHead, tail: Buffer): Promise<Buffer<ArrayBuffer>> {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(tail, head.checksum), 0);
  trailer.writeUInt32LE((head.sizeBytes + tail.length) % 2 ** 32, 4);
  return Buffer.concat([gzipHeader, head.blocks, await deflate(tail, { level }), trailer]);
}

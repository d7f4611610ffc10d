/** The exposition in one format and encoding. It is joined from cached pieces. */
import type { FamilyHeader } from '../../model/metric-family.ts';
import { gzipPart, joinGzip } from './gzip-parts.ts';
import type { RecordSamples, SamplePart } from './sample-blocks.ts';
import { endOf, headerText, type ExpositionFormat } from './text-format.ts';
import { yieldAfter } from './yield-after.ts';

export type Encoding = 'identity' | 'gzip';

/** A whole exposition, as it is sent. */
export interface Rendered {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Before compression. */
  readonly sizeBytes: number;
}

/** Joins the samples of records and the text of the monitor's own metrics. */
export type Variant = (samples: RecordSamples, ownText: string) => Promise<Rendered>;

/** Amount of text that is encoded before the event loop gets a turn: about a millisecond of work. */
const yieldAfterBytes = 96 * 1024;

/** A variant encodes each part of the samples once. It keeps the result as long as the part exists. */
export function createVariant(format: ExpositionFormat, encoding: Encoding): Variant {
  return encoding === 'identity'
    ? variantOf(format, { encode: (plain) => plain, join: (pieces) => Buffer.concat(pieces) })
    : variantOf(format, { encode: gzipPart, join: joinGzip });
}

/** How pieces are made from text, and joined. */
interface Encoder<Code> {
  readonly encode: (plain: Buffer) => Code;
  readonly join: (codes: readonly Code[]) => Buffer<ArrayBuffer>;
}

interface Piece<Code> {
  readonly code: Code;
  readonly sizeBytes: number;
}

function variantOf<Code>(format: ExpositionFormat, { encode, join }: Encoder<Code>): Variant {
  const known = new WeakMap<SamplePart | FamilyHeader, Piece<Code>>();
  const encoded = yieldAfter(yieldAfterBytes);

  const makePiece = async (text: string): Promise<Piece<Code>> => {
    const plain = Buffer.from(text);
    const piece = { code: encode(plain), sizeBytes: plain.length };
    await encoded(plain.length);
    return piece;
  };
  const pieceOf = async (source: SamplePart | FamilyHeader, text: () => string) => {
    const piece = known.get(source) ?? (await makePiece(text()));
    known.set(source, piece);
    return piece;
  };

  return async (samples, ownText) => {
    const pieces: Piece<Code>[] = [];
    for (const { family, parts } of samples.families) {
      const filled = parts.filter(hasText);
      if (filled.length > 0) pieces.push(await pieceOf(family, () => headerText(family, format)));
      for (const part of filled) pieces.push(await pieceOf(part, () => part.texts.join('')));
    }
    pieces.push(await makePiece(ownText + endOf[format]));
    return {
      bytes: join(pieces.map(({ code }) => code)),
      sizeBytes: pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
  };
}

function hasText({ texts }: SamplePart): boolean {
  return texts.some((text) => text !== '');
}

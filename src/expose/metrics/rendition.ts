/** The exposition in one format and encoding, put together from pieces that are kept. */
import { families } from './families.ts';
import { gzipPart, joinGzip } from './gzip-parts.ts';
import type { RecordSamples, SamplePart } from './record-texts.ts';
import { endOf, headerText, type ExpositionFormat } from './text-format.ts';
import { turnAfter } from './turn-after.ts';

export type Encoding = 'identity' | 'gzip';

export interface Rendered {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Before compression. */
  readonly sizeBytes: number;
}

/** Puts the samples of records and the text of the monitor's own metrics together. */
export type Rendition = (samples: RecordSamples, ownText: string) => Promise<Rendered>;

/** How much text is encoded in one go: about a millisecond. */
const stretchBytes = 96 * 1024;

export function createRendition(format: ExpositionFormat, encoding: Encoding): Rendition {
  return encoding === 'identity'
    ? renditionOf(format, { encode: (plain) => plain, join: (pieces) => Buffer.concat(pieces) })
    : renditionOf(format, { encode: gzipPart, join: joinGzip });
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

function renditionOf<Code>(format: ExpositionFormat, { encode, join }: Encoder<Code>): Rendition {
  const known = new WeakMap<object, Piece<Code>>();
  const encoded = turnAfter(stretchBytes);

  const pieceOf = async (source: object, text: () => string): Promise<Piece<Code>> => {
    let piece = known.get(source);
    if (piece === undefined) {
      const plain = Buffer.from(text());
      piece = { code: encode(plain), sizeBytes: plain.length };
      known.set(source, piece);
      await encoded(plain.length);
    }
    return piece;
  };

  return async (samples, ownText) => {
    const pieces: Piece<Code>[] = [];
    for (const [i, family] of families.entries()) {
      const parts = samples.partsOf(i).filter(hasText);
      if (parts.length > 0) pieces.push(await pieceOf(family, () => headerText(family, format)));
      for (const part of parts) pieces.push(await pieceOf(part, () => part.texts.join('')));
    }
    pieces.push(await pieceOf({}, () => ownText + endOf[format]));
    return {
      bytes: join(pieces.map(({ code }) => code)),
      sizeBytes: pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
  };
}

function hasText({ texts }: SamplePart): boolean {
  return texts.some((text) => text !== '');
}

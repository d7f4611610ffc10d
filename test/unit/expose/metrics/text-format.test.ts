import { describe, expect, test } from 'vitest';
import { encodePieces } from '../../../../src/expose/metrics/text-format.ts';

const family = { name: 'cvm_example', type: 'gauge', help: 'Help.' } as const;
const head = '# HELP cvm_example Help.\n# TYPE cvm_example gauge\n';

function piecesOfTexts(texts: string[], rest?: string): readonly Buffer[] {
  return [...encodePieces(new Map([[family, texts]]), 'prometheus', rest)];
}

describe('the pieces of an exposition', () => {
  test('are the whole text, whatever fits into a piece', () => {
    // Texts of 1 to 3 bytes a character, from one character to more than a piece.
    const texts = [1, 9_000, 90_000, 100_000, 400_000, 2, 30_000].flatMap((length) =>
      ['a', 'é', '广'].map((character) => character.repeat(length)),
    );
    const pieces = piecesOfTexts(texts, 'rest\n');
    expect(pieces.length).toBeGreaterThan(5);
    expect(String(Buffer.concat(pieces)) === `${head}${texts.join('\n')}\nrest\n`).toBe(true);
  });

  test('end with the last sample when nothing follows', () => {
    expect(String(Buffer.concat(piecesOfTexts(['cvm_example 1'])))).toBe(`${head}cvm_example 1\n`);
  });
});

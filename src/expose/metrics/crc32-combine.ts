/**
 * The checksum of a text from the checksums of its parts, without reading the parts again: arithmetic of
 * polynomials over GF(2), as in zlib's `crc32_combine`. A number holds a polynomial; its highest bit is
 * the coefficient of x⁰.
 */

/** The polynomial that divides for the checksum of gzip (RFC 1952, section 8). */
const crcPolynomial = 0xedb88320;
const one = 0x8000_0000;

/** x to the power of 2ⁿ, by n. */
const powers = [0x4000_0000];
for (let n = 1; n < 32; n += 1) {
  const last = powers[n - 1] ?? 0;
  powers.push(multiply(last, last));
}

/** The checksum of two texts in a row, from their checksums `first` and `second`. */
export function combineCrc32(first: number, second: number, secondSizeBytes: number): number {
  return (multiply(first, shiftOf(secondSizeBytes)) ^ second) >>> 0;
}

/** x to the power of the number of bits in `sizeBytes` bytes. */
function shiftOf(sizeBytes: number): number {
  let shift = one;
  // The power of the lowest bit of the size is 8, which is 2³.
  for (let n = 3, rest = sizeBytes; rest > 0; n += 1, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shift, powers[n % 32] ?? 0);
  }
  return shift;
}

/** The product of two polynomials, as a remainder. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ crcPolynomial;
  }
  return product >>> 0;
}

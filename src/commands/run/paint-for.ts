import { plain, styled, type Paint } from '../../expose/terminal/style.ts';

/** Styles for a terminal, unless NO_COLOR or TERM=dumb says no; FORCE_COLOR has the last word. */
export function paintFor(stream: { readonly isTTY?: boolean }, env = process.env): Paint {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '', TERM: terminal } = env;
  if (force !== '') return force === '0' || force === 'false' ? plain : styled;
  return stream.isTTY === true && no === '' && terminal !== 'dumb' ? styled : plain;
}

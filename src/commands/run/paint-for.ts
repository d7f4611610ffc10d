import { plain, styled, type Paint } from '../../expose/terminal/style.ts';

/** Styles for a terminal. NO_COLOR or TERM=dumb turns them off, FORCE_COLOR always turns them on. */
export function paintFor(stream: { readonly isTTY?: boolean }, env = process.env): Paint {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '', TERM: terminal } = env;
  if (force !== '') return force === '0' || force === 'false' ? plain : styled;
  return stream.isTTY === true && no === '' && terminal !== 'dumb' ? styled : plain;
}

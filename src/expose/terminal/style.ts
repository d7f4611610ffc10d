import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Adds a style to a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

/** The caller knows whether the stream takes styles, so this is not checked again here. */
export const styled: Paint = (style, text) =>
  text === '' ? '' : styleText(style, text, { validateStream: false });

/** The style of a failure, which differs from that of a low quota. */
export const failedStyle: Style = 'magenta';

/** Styles for a terminal. NO_COLOR or TERM=dumb turns them off, FORCE_COLOR always turns them on. */
export function paintFor(stream: { readonly isTTY?: boolean }, env = process.env): Paint {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '', TERM: terminal } = env;
  if (force !== '') return force === '0' || force === 'false' ? plain : styled;
  return stream.isTTY === true && no === '' && terminal !== 'dumb' ? styled : plain;
}

/** Colours and bars for terminals. */
import { styleText } from 'node:util';
import { displayStates, type TerminalStyle } from '../display-state.ts';
import { numberWithNoun, numberText } from '../text.ts';

/** Adds a style to a text, or returns it unchanged. */
export type Paint = (style: TerminalStyle, text: string) => string;

export const plain: Paint = (_style, text) => text;

/** The caller knows whether the stream takes styles, so this is not checked again here. */
export const styled: Paint = (style, text) =>
  text === '' ? '' : styleText(style, text, { validateStream: false });

/** Styles for a terminal. NO_COLOR or TERM=dumb turns them off, FORCE_COLOR always turns them on. */
export function paintFor(stream: { readonly isTTY?: boolean }, env = process.env): Paint {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '', TERM: terminal } = env;
  if (force !== '') return force === '0' || force === 'false' ? plain : styled;
  return stream.isTTY === true && no === '' && terminal !== 'dumb' ? styled : plain;
}

/**
 * A bar of `width` characters. It is full only for a share of 1, and empty only for a share of 0: rounding must not hide
 * the last remaining or the first used part.
 *
 * @param share from 0 to 1
 */
export function barOf(share: number, width: number, style: TerminalStyle, paint: Paint): string {
  const part = Math.min(width - 1, Math.max(1, Math.round(share * width)));
  const filled = share <= 0 ? 0 : share >= 1 ? width : part;
  return paint(style, '█'.repeat(filled)) + paint('dim', '░'.repeat(width - filled));
}

/** The progress of polls, in one line without a newline. */
export function progressLine(
  { done, failed, targets }: Readonly<Record<'done' | 'failed' | 'targets', number>>,
  paint: Paint,
): string {
  const failures =
    failed === 0 ? '' : paint(displayStates.failing.style, `, ${numberText(failed)} failed`);
  const bar = barOf(done / targets, 30, 'cyan', paint);
  return `${bar} ${numberText(done)} of ${numberWithNoun(targets, 'target')}${failures}`;
}

/** Colours, bars and the line of progress for terminals: `check` and `init` print with them. */
import { styleText } from 'node:util';
import { displayStates } from '../display-state.ts';
import type { Texts } from '../../model/texts/texts.ts';

type StyleName = Extract<Parameters<typeof styleText>[0], string>;
/** A style, or several at once. */
export type TerminalStyle = StyleName | readonly StyleName[];

/** Adds a style to a text. {@link plain} returns the text unchanged. */
export type Paint = (style: TerminalStyle, text: string) => string;

/** For what is no terminal, and for Nagios. */
export const plain: Paint = (_style, text) => text;

/** Adds the style always: {@link paintFor} has checked that the stream takes styles. */
export const styled: Paint = (style, text) =>
  text === '' ? '' : styleText([style].flat(), text, { validateStream: false });

/**
 * Chooses `styled` for a terminal and `plain` for anything else. NO_COLOR or TERM=dumb turns styles off. FORCE_COLOR goes
 * first: `0` or `false` turns them off, any other value turns them on.
 */
export function paintFor(stream: { readonly isTTY?: boolean }, env = process.env): Paint {
  const { FORCE_COLOR = '', NO_COLOR = '', TERM } = env;
  if (FORCE_COLOR !== '') return ['0', 'false'].includes(FORCE_COLOR) ? plain : styled;
  return stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb' ? styled : plain;
}

/**
 * A bar of `width` characters. It is full only for a share of 1, and empty only for a share of 0: rounding must not hide
 * the last remaining or the first used part.
 *
 * @param share from 0 to 1
 */
export function barOf(share: number, width: number, style: TerminalStyle, paint: Paint): string {
  const partly = Math.min(width - 1, Math.max(1, Math.round(share * width)));
  const filled = share <= 0 ? 0 : share >= 1 ? width : partly;
  return paint(style, '█'.repeat(filled)) + paint('dim', '░'.repeat(width - filled));
}

/**
 * The progress of the polls of `check` and `init`, in one line without a newline.
 *
 * @param progress numbers of targets: those that are done, those that failed, and all until now. With 0 targets, no bar
 */
export function progressLine(
  { done, failed, targets }: Readonly<Record<'done' | 'failed' | 'targets', number>>,
  paint: Paint,
  { say }: Texts,
): string {
  const failures = failed === 0 ? '' : say(', {count} failed', { count: failed });
  const bar = barOf(done / targets, 30, 'cyan', paint);
  const count = say('{done} of {targets target|targets}', { done, targets });
  return `${bar} ${count}${paint(displayStates.failing.style, failures)}`;
}

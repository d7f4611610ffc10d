import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Gives a text a style, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

/** Whether a stream takes styles is for the caller to know, so it is not asked again here. */
export const styled: Paint = (style, text) =>
  text === '' ? '' : styleText(style, text, { validateStream: false });

/** How a failure looks different from a quota that is low. */
export const failedStyle: Style = 'magenta';

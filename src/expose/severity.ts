/** How the words of a judgement are shown: their order, severity, signs and colours. */
import type { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** What is unknown comes before a warning, because it may hide a critical quota. */
export const levels = {
  critical: { badge: ['bold', 'white', 'bgRed'], icon: 'd1242f' },
  unknown: { badge: ['bold', 'white', 'bgMagenta'], icon: '7a4fbf' },
  warning: { badge: ['bold', 'black', 'bgYellow'], icon: 'bf7a00' },
  fine: { badge: ['bold', 'black', 'bgGreen'], icon: '4a7fb5' },
} as const satisfies Readonly<Record<string, { readonly badge: Style; readonly icon: string }>>;
export type Level = keyof typeof levels;

type Meaning = Readonly<{ severity: Level | null; sign: string; style: Style }>;

/**
 * The worst first. The severity is `null` where the numbers are not those of the present. The sign is what the cell of
 * a picture shows besides its colour, and the style is for terminals.
 */
export const displayStates = {
  overdrawn: { severity: 'critical', sign: '!!', style: ['bold', 'red'] },
  critical: { severity: 'critical', sign: '!', style: ['bold', 'red'] },
  low: { severity: 'warning', sign: '▾', style: ['bold', 'yellow'] },
  gone: { severity: null, sign: '▾', style: ['bold', 'yellow'] },
  failing: { severity: 'unknown', sign: '?', style: 'magenta' },
  stale: { severity: null, sign: '?', style: 'magenta' },
  incomplete: { severity: 'unknown', sign: '?', style: 'magenta' },
  pending: { severity: 'unknown', sign: '?', style: 'magenta' },
  unknown: { severity: 'unknown', sign: '?', style: 'magenta' },
  fine: { severity: 'fine', sign: '', style: 'green' },
  up: { severity: 'fine', sign: '', style: 'green' },
  muted: { severity: 'fine', sign: '', style: 'dim' },
  none: { severity: 'fine', sign: '', style: 'dim' },
} as const satisfies Readonly<Record<string, Meaning>>;

/**
 * A word for a target, a quota or a launch. A quota is `gone` if it disappeared while it was low, `unknown` if nothing
 * tells what remains, and `none` if its limit is 0, so that the account does not have it.
 */
export type DisplayState = keyof typeof displayStates;

/** What has a word. */
export interface HasState {
  readonly state: DisplayState;
}

export function severityOf({ state }: HasState) {
  return displayStates[state].severity;
}

/** Whether a quota is low, or worse. */
export function isBad(row: HasState): boolean {
  return ['critical', 'warning'].includes(severityOf(row) ?? '');
}

const order = Object.keys(displayStates);

/** The worse first. */
export function compareStates(a: HasState, b: HasState): number {
  return order.indexOf(a.state) - order.indexOf(b.state);
}

/** How page and terminal show a state, and how the verdict counts it: its order, severity, symbol and colours. */

/**
 * The colours of a verdict: the badge of the terminal, and the icon of the page's tab in hexadecimal RGB. The worst
 * comes first. `unknown` comes before a warning, because it may hide a critical quota.
 */
export const severityStyles = {
  critical: { badge: ['bold', 'white', 'bgRed'], icon: 'd1242f' },
  unknown: { badge: ['bold', 'white', 'bgMagenta'], icon: '7a4fbf' },
  warning: { badge: ['bold', 'black', 'bgYellow'], icon: 'bf7a00' },
  fine: { badge: ['bold', 'black', 'bgGreen'], icon: '4a7fb5' },
} as const;
export type Severity = keyof typeof severityStyles;

/**
 * The states, in the order of tables: the worst first.
 *
 * - `severity`: `null` where the numbers are not those of the present
 * - `symbol`: stands in a cell of the page's overview, so that colour is not the only difference; empty if all is fine
 * - `style`: for terminals
 */
export const displayStates = {
  overdrawn: { severity: 'critical', symbol: '!!', style: ['bold', 'red'] },
  critical: { severity: 'critical', symbol: '!', style: ['bold', 'red'] },
  low: { severity: 'warning', symbol: '▾', style: ['bold', 'yellow'] },
  gone: { severity: null, symbol: '▾', style: ['bold', 'yellow'] },
  failing: { severity: 'unknown', symbol: '?', style: 'magenta' },
  stale: { severity: null, symbol: '?', style: 'magenta' },
  incomplete: { severity: 'unknown', symbol: '?', style: 'magenta' },
  pending: { severity: 'unknown', symbol: '?', style: 'magenta' },
  unknown: { severity: 'unknown', symbol: '?', style: 'magenta' },
  unjudged: { severity: 'unknown', symbol: '?', style: 'magenta' },
  denied: { severity: 'warning', symbol: '▾', style: ['bold', 'yellow'] },
  fine: { severity: 'fine', symbol: '', style: 'green' },
  up: { severity: 'fine', symbol: '', style: 'green' },
  muted: { severity: 'fine', symbol: '', style: 'dim' },
  none: { severity: 'fine', symbol: '', style: 'dim' },
} as const;

/**
 * The state of a target, a quota or a launch. A quota is `gone` if it disappeared while it was low, `unknown` if
 * nothing tells what remains, and `none` if its limit is 0, so that the account does not have it. A launch is `unjudged` if
 * nothing says what it starts.
 */
export type DisplayState = keyof typeof displayStates;

export function severityOf(state: DisplayState): Severity | null {
  return displayStates[state].severity;
}

/** True for a quota that is low, critical or overdrawn now, and for a launch that is blocked or at risk. */
export function isLowOrWorse(state: DisplayState): boolean {
  const severity = severityOf(state);
  return severity === 'critical' || severity === 'warning';
}

const order = Object.keys(displayStates);

/** For `sort`: the worse state comes first. */
export function compareStates(a: DisplayState, b: DisplayState): number {
  return order.indexOf(a) - order.indexOf(b);
}

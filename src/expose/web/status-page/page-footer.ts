/** The line at the bottom of a page: its time, its next reload, and the switches for both. */
import { html } from 'hono/html';
import { exactTime, type Html } from './format.ts';
import type { StatusQuery } from './query.ts';

/** The choices of the reader that a link of the page can change. */
export type Choices = Pick<StatusQuery, 'isLocalTime' | 'isPaused'>;

export interface AsOfOptions {
  readonly nowMs: number;
  readonly choices: Choices;
  /** `null` while the page is paused. */
  readonly refreshSeconds: number | null;
  /** A link to the same page with another choice. */
  readonly linkTo: (change: Partial<Choices>) => string;
}

export function asOf({ choices, linkTo, nowMs, refreshSeconds }: AsOfOptions): Html {
  const { isLocalTime } = choices;
  return html`<p>
    As of ${exactTime(nowMs)},
    ${
      refreshSeconds === null
        ? html`paused. <a href="${linkTo({ isPaused: false })}">Refresh by itself</a>`
        : html`again in ${refreshSeconds} s. <a href="${linkTo({ isPaused: true })}">Pause</a>`
    }
    <a href="${linkTo({ isLocalTime: !isLocalTime })}"
      >${isLocalTime ? 'Times in UTC' : 'Times in local time'}</a
    >
  </p>`;
}

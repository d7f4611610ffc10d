import { html } from 'hono/html';
import type { Quota } from '../../../model/snapshot.ts';
import { remainingShare, severityOf } from '../../quota-standing.ts';
import type { Html } from './format.ts';

/**
 * How much of a quota is gone. The figures stand beside it, so it is hidden from assistive technology;
 * its length is an attribute because the page's policy allows no style on an element.
 */
export function bar(quota: Quota): Html {
  const gone = Math.round((1 - (remainingShare(quota) ?? 1)) * 1_000) / 10;
  return html`<svg
    class="bar ${severityOf(quota)}"
    viewBox="0 0 100 1"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="track" width="100" height="1" />
    <rect class="fill" width="${gone}" height="1" />
  </svg>`;
}

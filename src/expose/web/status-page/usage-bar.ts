import { html } from 'hono/html';
import { isOverdrawn, type Judgement } from '../../severity.ts';
import type { Html } from './format.ts';

/**
 * The used part of a quota. The bar is hidden from assistive technology, because the numbers are beside it. Its
 * length is an attribute, because the policy of the page allows no style on an element.
 */
export function usageBar({ quota, remainingShare, severity }: Judgement): Html {
  if (quota.remaining === null && remainingShare === null) return html`–`;
  const share = remainingShare ?? (isOverdrawn(quota) ? 0 : 1);
  const gone = Math.round((1 - Math.max(0, share)) * 1_000) / 10;
  return html`<svg
    class="bar ${severity}"
    viewBox="0 0 100 1"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="track" width="100" height="1" />
    <rect class="fill" width="${gone}" height="1" />
  </svg>`;
}

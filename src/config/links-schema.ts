/** The schema of `links` in the configuration: the addresses of a dashboard and of runbooks, for the status page and alerts. */
import { z } from 'zod';
import { linkPlaceholders } from '../model/links.ts';
import { checkedText, orNull } from '../validation/text-schemas.ts';
import { looksLikeSecret } from '../validation/secret-like.ts';

const knownPlaceholders: ReadonlySet<string> = new Set(linkPlaceholders.map((name) => `{${name}}`));

/**
 * The mistake in a link. `null` when it is valid. Placeholders are allowed behind the host only, so the values of a row
 * cannot change where a link leads.
 */
function linkProblem(text: string): string | null {
  const placeholders = text.match(/\{[^{}]*\}|[{}]/g) ?? [];
  if (placeholders.some((placeholder) => !knownPlaceholders.has(placeholder))) {
    return `unknown placeholder; expected ${[...knownPlaceholders].join(', ')}`;
  }
  if (looksLikeSecret(text)) return 'looks like a secret: links are shown on the page';
  if (!/^https?:\/\/[^/?#@{}\s\\]+([/?#]|$)/.test(text) || !URL.canParse(text)) {
    return 'expected http:// or https:// and a host without placeholders, user or password';
  }
  return null;
}

export const linksSchema = z.strictObject({
  grafana: checkedText(linkProblem)
    .optional()
    .transform(orNull)
    .describe(`The address of a dashboard, perhaps with ${[...knownPlaceholders].join(', ')}.`),
  runbooks: checkedText(linkProblem)
    .regex(/^[^?#]*$/, 'must not have a query or a fragment: the name of a runbook follows it')
    .optional()
    .transform(orNull)
    .describe('The folder with the runbooks. Default: the runbooks of this version.'),
});

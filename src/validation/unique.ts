import { z } from 'zod';
import { isMap } from './always.ts';
import { looksLikeSecret } from './secret-like.ts';

/**
 * A check for the schema of a list in the configuration: no two elements have the same name. It also runs when elements
 * are invalid, so that all problems of a file are reported at once.
 *
 * @param noun the kind of element, for the message
 * @param key the key of an element that is a map. An element that is a text is its own key
 */
export function unique(noun: string, key = 'name') {
  const check = (list: unknown, context: z.RefinementCtx) => {
    if (!Array.isArray(list)) return;
    const seen = new Set<unknown>();
    for (const [i, element] of list.entries()) {
      const name: unknown = isMap(element) ? element[key] : element;
      if (typeof name === 'string' && seen.has(name)) {
        const shown = looksLikeSecret(name) ? '…' : name;
        const message = `the ${noun} ${shown} is in the list twice`;
        context.addIssue({ code: 'custom', path: [i], message, input: element, continue: true });
      }
      seen.add(name);
    }
  };
  return z.superRefine(check, { when: () => true });
}

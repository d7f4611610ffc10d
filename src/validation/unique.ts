/** The check that the elements of a list have different names, for `config/schema.ts` and `collectors/keys.ts`. */
import { z } from 'zod';
import { isMap } from './always.ts';
import { looksLikeSecret } from './secret-like.ts';

/**
 * Refuses each element whose name an earlier one has. It also runs when elements are invalid, so that all problems of a file
 * are reported at once. An element without a text as its name is not checked.
 *
 * @param noun the kind of element, for the message
 * @param key the key that has the name of an element, if the element is a map. An element that is a text is its own name
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

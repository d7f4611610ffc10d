import { z } from 'zod';

/**
 * A check that no two elements of a list have the same key. It also runs when elements are invalid, so that
 * all problems of a file are reported at once.
 *
 * @param noun the kind of element, for the message
 * @param keyOf the key of an element that may be invalid; only texts are compared
 */
export function uniqueBy(noun: string, keyOf: (element: unknown) => unknown) {
  const check = new z.core.$ZodCheck({ check: 'custom', when: () => true });
  check._zod.check = (payload) => {
    if (!Array.isArray(payload.value)) return;
    const seen = new Set<unknown>();
    for (const [i, element] of payload.value.entries()) {
      const key = keyOf(element);
      if (typeof key === 'string' && seen.has(key)) {
        const message = `the ${noun} ${key} is in the list twice`;
        payload.issues.push({ code: 'custom', path: [i], message, input: element, continue: true });
      }
      seen.add(key);
    }
  };
  return check;
}

/** Arbitrary input for parsers: random text, and text that is almost valid. */
import fc from 'fast-check';

/** Any text, also with lone surrogates and control characters. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString()),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

/** A text in itself: some hundred times, and seldom more often than a parser can recurse. Reading that takes long. */
export const nested = (text: string): fc.Arbitrary<string> =>
  fc
    .oneof({ weight: 9, arbitrary: fc.nat(1_000) }, { weight: 1, arbitrary: fc.nat(100_000) })
    .map((depth) => text.repeat(depth));

/** JSON values that replace the expected values. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    ...[null, true, '', '__proto__', '\ud800', {}, [], [[]]],
    ...[0, -1, 0.5, 1e21, 1e308, -1e308],
  ),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, Number.MIN_VALUE, -0),
  fc.jsonValue({ maxDepth: 3 }),
  arbitraryText,
);

/** Text with a few parts removed, repeated, cut off, or replaced by one of `tokens`. */
export function mutatedText(
  samples: readonly string[],
  tokens: readonly string[],
): fc.Arbitrary<string> {
  const edit = fc.record({
    kind: fc.constantFrom('remove', 'repeat', 'replace', 'insert', 'cut'),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    token: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...tokens) }, arbitraryText),
  });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([sample, edits]) =>
      edits.reduce((text, { kind, at, length, token }) => {
        const start = Math.floor(at * text.length);
        const [head, span, tail] = [
          text.slice(0, start),
          text.slice(start, start + length),
          text.slice(start + length),
        ];
        switch (kind) {
          case 'remove':
            return head + tail;
          case 'repeat':
            return head + span + span + tail;
          case 'replace':
            return head + token + tail;
          case 'insert':
            return head + token + span + tail;
          case 'cut':
            return head;
        }
      }, sample),
    );
}

/** JSON of a sample. A few values are removed, replaced, repeated or renamed. */
export function mutatedJson(samples: readonly unknown[]): fc.Arbitrary<string> {
  const edit = fc.record({
    kind: fc.constantFrom('replace', 'remove', 'rename', 'repeat'),
    which: fc.nat(),
    value: oddValue,
    name: fc.constantFrom('__proto__', 'constructor', 'toString', '', 'Response', 'x'),
  });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([sample, edits]) => {
      // Null prototypes, so that `__proto__` is a normal key.
      const root: Container = { root: bare(sample) };
      for (const each of edits) mutate(root, each);
      return JSON.stringify(root.root);
    });
}

type Container = Record<string, unknown> | unknown[];

interface Edit {
  readonly kind: 'replace' | 'remove' | 'rename' | 'repeat';
  readonly which: number;
  readonly value: unknown;
  readonly name: string;
}

/** A deep copy. No two trees share an object or array. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, bare(inner)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Container;
}

function mutate(root: Container, { kind, which, value, name }: Edit): void {
  const places = [...placesIn(root)];
  const [container, key] = places[which % places.length]!;
  if (Array.isArray(container)) {
    const index = Number(key);
    if (kind === 'remove') container.splice(index, 1);
    else if (kind === 'repeat') container.push(bare(container[index]));
    else container[index] = bare(value);
  } else if (kind === 'replace' || container === root) {
    container[key] = bare(value);
  } else {
    const before = container[key];
    if (kind !== 'repeat') Reflect.deleteProperty(container, key);
    if (kind !== 'remove') container[name] = bare(before);
  }
}

/** The container and key of every value, the root first. */
function* placesIn(container: Container): Generator<readonly [Container, string]> {
  for (const [key, value] of Object.entries(container)) {
    yield [container, key];
    if (typeof value === 'object' && value !== null) yield* placesIn(value as Container);
  }
}

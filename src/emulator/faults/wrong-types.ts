/** The same JSON with a wrong type for each value: numbers and booleans become texts, texts become numbers. */
export function withWrongTypes(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.map(withWrongTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withWrongTypes(inner)]),
  );
}

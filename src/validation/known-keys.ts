/** The keys that a schema allows at a place of a value. */
import { z } from 'zod';

type Schema = z.core.$ZodType;

/**
 * The keys that the map at a path may have. For a union, only the alternatives count that agree with the
 * literals of the value, such as `type: files`.
 */
export function knownKeys(schema: Schema, root: unknown, path: readonly PropertyKey[]): string[] {
  let schemas = alternatives(schema, root);
  let value = root;
  for (const key of path) {
    value = inner(value, key);
    schemas = schemas.flatMap((each) => {
      const child = childOf(each, key);
      return child === undefined ? [] : alternatives(child, value);
    });
  }
  return schemas.flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []));
}

function childOf(schema: Schema, key: PropertyKey): Schema | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const field = inner(schema.shape, key);
  return field instanceof z.core.$ZodType ? field : undefined;
}

/** The schema without defaults, transformations and unions. */
function alternatives(schema: Schema, value: unknown): Schema[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return alternatives(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodPipe) return alternatives(schema.in, value);
  if (schema instanceof z.ZodUnion) {
    return schema.options
      .flatMap((option) => alternatives(option, value))
      .filter((option) => !isRuledOut(option, value));
  }
  return [schema];
}

function isRuledOut(schema: Schema, value: unknown): boolean {
  if (!(schema instanceof z.ZodObject)) return false;
  return Object.entries(schema.shape).some(([key, field]) => {
    const own = inner(value, key);
    return (
      field instanceof z.ZodLiteral &&
      own !== undefined &&
      ![...field.values].some((v) => v === own)
    );
  });
}

function inner(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, key);
  return found;
}

/** Writes JSON schemas as TypeScript types, with their descriptions as comments. */
import { isDeepStrictEqual } from 'node:util';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
}

interface Part {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
}

interface Field {
  readonly schema: Schema;
  readonly required: boolean;
}

/**
 * A `$ref` is written as the name of its type, which the reader of the text has to import.
 *
 * @param schemas by the names of the types. Where an object has all fields of an earlier type, it is
 *   written with that type's name in place of them.
 */
export function typescriptOf(schemas: Readonly<Record<string, unknown>>): string {
  const parts: Part[] = [];
  const types = Object.entries(schemas as Readonly<Record<string, Schema>>).map(
    ([name, schema]) => {
      const type = typeOf(schema, parts);
      const declaration =
        schema.properties === undefined ? `type ${name} = ${type};` : `interface ${name} ${type}`;
      parts.push({ name, fields: fieldsOf(schema) });
      return `${commentOf(schema)}export ${declaration}\n`;
    },
  );
  return types.join('\n');
}

function typeOf(schema: Schema, parts: readonly Part[]): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return union.map((each) => `(${typeOf(each, parts)})`).join(' | ');
  if (typeof schema.type === 'object') return schema.type.map(scalar).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'array':
      return `(${typeOf(schema.items ?? {}, parts)})[]`;
    case 'object':
      return objectOf(schema, parts);
    default:
      return scalar(schema.type);
  }
}

function scalar(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function objectOf(schema: Schema, parts: readonly Part[]): string {
  const fields = fieldsOf(schema);
  if (fields.size === 0 && typeof schema.additionalProperties === 'object') {
    return `Record<string, ${typeOf(schema.additionalProperties, parts)}>`;
  }
  const contained = parts.filter((part) => contains(fields, part));
  for (const part of contained) for (const name of part.fields.keys()) fields.delete(name);
  const own = [...fields].map(
    ([name, { schema: field, required }]) =>
      `${commentOf(field)}${name}${required ? '' : '?'}: ${typeOf(field, parts)}${required ? '' : ' | undefined'};\n`,
  );
  const names = contained.map(({ name }) => name);
  return own.length === 0 ? names.join(' & ') : [...names, `{\n${own.join('')}}`].join(' & ');
}

function fieldsOf({ properties = {}, required = [] }: Schema): Map<string, Field> {
  return new Map(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { schema, required: required.includes(name) },
    ]),
  );
}

function contains(fields: ReadonlyMap<string, Field>, part: Part): boolean {
  return (
    part.fields.size > 0 &&
    [...part.fields].every(([name, field]) => isDeepStrictEqual(fields.get(name), field))
  );
}

function commentOf({ description }: Schema): string {
  return description === undefined ? '' : `/** ${description} */\n`;
}

/** Turns a JSON schema into a TypeScript type, with its descriptions as comments. */
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
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** @param name of the main type; types of `$defs` keep their names. All of them are objects. */
export function typescriptOf(name: string, schema: unknown): string {
  const { $defs = {}, ...whole } = schema as Schema;
  const types = Object.entries({ ...$defs, [name]: whole });
  return types.map(([each, inner]) => `export interface ${each} ${typeOf(inner)}\n`).join('\n');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return union.map((each) => `(${typeOf(each)})`).join(' | ');
  if (typeof schema.type === 'object') return schema.type.map(scalar).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectOf(schema);
    default:
      return scalar(schema.type);
  }
}

function scalar(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    const comment = field.description === undefined ? '' : `/** ${field.description} */\n`;
    return required.includes(name)
      ? `${comment}${name}: ${typeOf(field)};\n`
      : `${comment}${name}?: ${typeOf(field)} | undefined;\n`;
  });
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    return `Record<string, ${typeOf(additionalProperties)}>`;
  }
  const others =
    typeof additionalProperties === 'object'
      ? `[name: string]: ${typeOf(additionalProperties)};\n`
      : '';
  return `{\n${fields.join('')}${others}}`;
}

/** The reference of the configuration keys, from the JSON Schema of the configuration. */
import { table } from './markdown.ts';

interface Schema {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * A table of every key: its path, its values, its default, its meaning.
 *
 * @param jsonSchema the text of the schema
 */
export function configurationKeys(jsonSchema: string): string {
  const schema: Schema = JSON.parse(jsonSchema);
  return table(['key', 'value', 'default', 'meaning'], rowsOf(schema, ''));
}

type Row = readonly [key: string, value: string, fallback: string, meaning: string];

/** The keys below `path`. A union of objects gives the keys of each object. */
function rowsOf(schema: Schema, path: string): Row[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => rowsOf(choice, path));
  if (schema.items !== undefined) return rowsOf(schema.items, `${path}[]`);
  const type = schema.properties?.type?.const;
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const prefix = path === '' ? '' : `${path}.`;
    const variant = type === undefined || name === 'type' ? '' : ` (${type})`;
    const row: Row = [
      `\`${prefix}${name}\`${variant}`,
      valueOf(property),
      fallbackOf(property, schema.required?.includes(name) ?? false),
      property.description ?? '',
    ];
    // The source of a role has the keys of credentials again.
    return name === 'source' ? [row] : [row, ...rowsOf(property, `${prefix}${name}`)];
  });
}

function valueOf(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(valueOf))].join(' or ');
  if (schema.items !== undefined) return `list of ${valueOf(schema.items)}`;
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'object') return 'mapping';
  if (schema.pattern?.includes('(?:(\\d+)ms)') === true) return 'duration';
  if (schema.pattern?.endsWith('%$') === true) return 'share';
  if (schema.multipleOf === 1) return 'count';
  if (schema.format === 'date') return 'date';
  return schema.type ?? '';
}

/** A mapping has no own default: its keys have defaults. */
function fallbackOf({ default: fallback, type }: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  if (fallback === undefined || (type === 'object' && JSON.stringify(fallback) === '{}')) return '';
  return code(typeof fallback === 'string' ? fallback : JSON.stringify(fallback));
}

const code = (text: string) => `\`${text}\``;

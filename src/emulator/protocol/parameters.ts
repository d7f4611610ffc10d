/**
 * Reads the parameters of an operation with their types, for the decoders and the operations. Parameters come as text
 * (`Filters.0.Name=zone` in a query or form) or as JSON. A number must be a number in JSON, and look like one in text.
 */
import { z } from 'zod';
import { isMap } from '../../validation/always.ts';
import { check, ServiceError } from './service-error.ts';

/** Any JSON by name. */
type ParameterMap = Readonly<Record<string, unknown>>;

export interface Parameters {
  /** How the parameters came: strict types in JSON, numbers and booleans as words in text. */
  readonly form: 'text' | 'json';
  /** Values by name. In the text form, a list is a map by index. */
  readonly values: ParameterMap;
}

type TextTree = Map<string, TextTree | string>;

/**
 * Reads the parameters of a query string or form.
 *
 * @throws ServiceError `InvalidParameter` for a name that occurs twice, or both as a value and as a list
 */
export function textParameters(pairs: Iterable<readonly [string, string]>): Parameters {
  const root: TextTree = new Map();
  for (const [name, value] of pairs) insert(root, name, value);
  return { form: 'text', values: toMap(root) };
}

/**
 * Puts `Filters.0.Name` = `zone` into the tree as `Filters` → `0` → `Name`.
 *
 * @throws ServiceError `InvalidParameter` when the name, or a part of it, has a value already
 */
function insert(root: TextTree, name: string, value: string): void {
  const parts = name.split('.');
  // No parameter of the service has more levels. The whole text becomes one name, an unknown parameter.
  const path = parts.length > 8 ? [name] : parts;
  const leaf = path.pop() ?? '';
  let node = root;
  for (const part of path) {
    const inner = node.get(part) ?? new Map<string, TextTree | string>();
    if (typeof inner === 'string') throw givenTwiceError(name);
    node.set(part, inner);
    node = inner;
  }
  if (node.has(leaf)) throw givenTwiceError(name);
  node.set(leaf, value);
}

function toMap(tree: TextTree): ParameterMap {
  return Object.fromEntries(
    [...tree].map(([name, node]) => [name, typeof node === 'string' ? node : toMap(node)]),
  );
}

function givenTwiceError(name: string): ServiceError {
  return new ServiceError('InvalidParameter', `The parameter \`${name}\` is given twice.`);
}

/**
 * Reads the parameters of a JSON body. Of a key that occurs twice, the last value counts.
 *
 * @throws ServiceError `InvalidRequest` when the body is not a JSON object
 */
export function jsonParameters(body: string): Parameters {
  const parsed = parseJson(body);
  check(isMap(parsed), 'InvalidRequest', 'The body of the request is not a JSON object.');
  return { form: 'json', values: parsed };
}

/** Parses JSON without its nulls and empty lists. `undefined` when it is malformed. */
function parseJson(text: string): unknown {
  try {
    // The text form has no null and no empty list. In JSON, both therefore count as absent.
    const parsed: unknown = JSON.parse(text, (_name, value: unknown) =>
      value === null || (Array.isArray(value) && value.length === 0) ? undefined : value,
    );
    return parsed;
  } catch {
    return undefined;
  }
}

/** The code for a value of another type. */
const wrongType = 'InvalidParameter';

/**
 * The schemas of the types of parameters in one form. The message of an issue is the error code of the refusal:
 * {@link readParameters} throws it.
 */
function typesOf(form: Parameters['form']) {
  const isJson = form === 'json';
  const text = z.string(wrongType);
  const number = text.regex(/^[+-]?\d{1,16}$/, wrongType).transform(Number);
  const integer: z.ZodType<number> = isJson ? z.int(wrongType) : number.pipe(z.int(wrongType));
  const words = { truthy: ['true'], falsy: ['false'], error: wrongType };
  const boolean: z.ZodType<boolean> = isJson ? z.boolean(wrongType) : z.stringbool(words);
  /** A list. In the text form, indices can begin with any number and have gaps: their order is that of the list. */
  const list = <T>(item: z.ZodType<T>, code: Code = wrongType): z.ZodType<T[]> => {
    const index = z.string().regex(/^(0|[1-9]\d{0,8})$/);
    const elements = z.record(index, z.unknown(), code).transform(Object.values);
    return isJson ? z.array(item, code) : elements.pipe(z.array(item));
  };
  /**
   * The parameter Filters: at most 10 filters, each with a name and values.
   *
   * @param rules what differs from cvm
   */
  const filters = (rules: Partial<typeof cvmFilters> = {}) => {
    const { maxValues, tooManyCode, incompleteCode, notListCode } = { ...cvmFilters, ...rules };
    // An absent part of a filter gets `incompleteCode`, and a part of another type gets `typeCode`.
    const presentOr = (typeCode: string): Code => ({
      error: ({ input }) => (input === undefined ? incompleteCode : typeCode),
    });
    // An empty list counts as absent in JSON, and the text form has none.
    const values = list(text, presentOr(notListCode));
    const Values = values.refine(({ length }) => length <= maxValues, tooManyCode);
    const filter = { Name: z.string(presentOr(wrongType)), Values };
    const filterList = list(z.strictObject(filter, incompleteCode));
    return filterList.refine(({ length }) => length <= maxFilters, tooManyCode);
  };
  return { text, integer, boolean, list, filters };
}

/** The schema of a map of parameters, each of which may be absent. */
export function parameterMap<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape, wrongType).partial();
}
export type ParameterTypes = ReturnType<typeof typesOf>;
export type Filter = z.output<ReturnType<ParameterTypes['filters']>>[number];
export const parameterTypes = { text: typesOf('text'), json: typesOf('json') };

/** An error code, or the function that finds it for a wrong value. */
type Code = string | { readonly error: (issue: { readonly input?: unknown }) => string };

const maxFilters = 10;

/** How many values a filter of cvm may have, and the error codes for filters that are wrong. */
const cvmFilters = {
  maxValues: 5,
  /** For too many filters, or too many values of one. */
  tooManyCode: 'InvalidFilterValue.LimitExceeded',
  /** For a filter that lacks its name or values, or has other keys. */
  incompleteCode: 'InvalidFilter',
  /** For Values that are not a list. */
  notListCode: wrongType,
};

/** @throws ServiceError `UnknownParameter` for a parameter that the operation does not have */
export function refuseUnknown(values: ParameterMap, allowed: readonly string[]): void {
  const unknown = Object.keys(values).find((name) => !allowed.includes(name));
  const message = `The parameter \`${unknown?.slice(0, 100)}\` is not recognized.`;
  check(unknown === undefined, 'UnknownParameter', message);
}

/**
 * Reads the parameters of an operation, or one of them, with a schema of {@link parameterTypes}.
 *
 * @param path the name of the parameter, if `value` is that of one parameter
 * @throws ServiceError with the code of the first mistake
 */
export function readParameters<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: readonly string[] = [],
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = [...path, ...(issue?.path ?? [])].join('.').slice(0, 100);
  const message = `The value of the parameter \`${name}\` is not valid.`;
  throw new ServiceError(issue?.message ?? wrongType, message);
}

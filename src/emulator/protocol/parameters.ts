/**
 * Reads the parameters of an operation with their types, for the decoders and the operations. Parameters come as text
 * (`Filters.0.Name=zone` in a query or form) or as JSON. A number must be a number in JSON, and look like one in text.
 */
import { check, ServiceError } from './service-error.ts';

export type ParameterValue =
  | string
  | number
  | boolean
  | null
  | readonly ParameterValue[]
  | { readonly [name: string]: ParameterValue };

export interface Parameters {
  /** How the parameters came: strict types in JSON, numbers and booleans as words in text. */
  readonly form: 'text' | 'json';
  /** Values by name. In the text form, a list is a map by index. */
  readonly values: ReadonlyMap<string, ParameterValue>;
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
  return { form: 'text', values: new Map([...root].map(([name, node]) => [name, toValue(node)])) };
}

/** Puts `Filters.0.Name` = `zone` into the tree as `Filters` → `0` → `Name`. */
function insert(root: TextTree, name: string, value: string): void {
  const parts = name.split('.');
  // No parameter of the service has more levels. The whole text becomes one name, an unknown parameter.
  const path = parts.length > 8 ? [name] : parts;
  const last = path.pop() ?? '';
  let node = root;
  for (const part of path) {
    const inner = node.get(part) ?? new Map<string, TextTree | string>();
    if (typeof inner === 'string') throw givenTwiceError(name);
    node.set(part, inner);
    node = inner;
  }
  if (node.has(last)) throw givenTwiceError(name);
  node.set(last, value);
}

function toValue(node: TextTree | string): ParameterValue {
  if (typeof node === 'string') return node;
  return Object.fromEntries([...node].map(([name, inner]) => [name, toValue(inner)]));
}

export function givenTwiceError(name: string): ServiceError {
  return new ServiceError('InvalidParameter', `The parameter \`${name}\` is given twice.`);
}

/**
 * Reads the parameters of a JSON body. Of a key that occurs twice, the last value counts.
 *
 * @throws ServiceError `InvalidRequest` when the body is not a JSON object
 */
export function jsonParameters(body: string): Parameters {
  const parsed = parseJson(body);
  const isObject = isParameterMap(parsed);
  check(isObject, 'InvalidRequest', 'The body of the request is not a JSON object.');
  // The text form has no null and no empty list. In JSON, both therefore count as absent.
  const given = Object.entries(parsed).filter(([, value]) => !isAbsent(value));
  return { form: 'json', values: new Map(given) };
}

function isAbsent(value: ParameterValue): boolean {
  return value === null || (isList(value) && value.length === 0);
}

function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
}

export function isParameterMap(value: unknown): value is Readonly<Record<string, ParameterValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws ServiceError `UnknownParameter` for a parameter that the operation does not have */
export function refuseUnknown(parameters: Parameters, allowed: readonly string[]): void {
  for (const name of parameters.values.keys()) {
    const message = `The parameter \`${name.slice(0, 100)}\` is not recognized.`;
    check(allowed.includes(name), 'UnknownParameter', message);
  }
}

export function isGiven(parameters: Parameters, name: string): boolean {
  return parameters.values.has(name);
}

type Read<T> = (value: ParameterValue, name: string, form: Parameters['form']) => T;

/**
 * Makes the function that reads one parameter: it returns `null` for a parameter that is absent, and throws
 * ServiceError `InvalidParameter` for a value of another type.
 */
function reader<T>(read: Read<T>) {
  return ({ values, form }: Parameters, name: string): T | null => {
    const value = values.get(name);
    return value === undefined ? null : read(value, name, form);
  };
}

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value, name, form) =>
    asList(value, name, form).map((item, index) => read(item, `${name}.${index}`, form));
}

export const stringOf = reader(asString);
export const integerOf = reader(asInteger);
export const booleanOf = reader(asBoolean);
export const stringsOf = reader(listOf(asString));
export const integersOf = reader(listOf(asInteger));
/** The parameters inside one, such as `Zone` in `Placement.Zone`. */
export const innerOf = reader<Parameters>((value, name, form) => {
  if (!isParameterMap(value)) throw typeError(name, 'Object');
  const given = Object.entries(value).filter(([, inner]) => !isAbsent(inner));
  return { form, values: new Map(given) };
});

export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
}

/** How many values a filter may have, and the error codes for filters that are wrong. */
export interface FilterRules {
  readonly maxValues: number;
  /** For too many filters, or too many values of one. */
  readonly tooManyCode: string;
  /** For a filter that lacks its name or values, or has other keys. */
  readonly incompleteCode: string;
  /** For Values that are not a list. */
  readonly notListCode: string;
  /** For a filter of another name. The operations throw it. */
  readonly unknownCode: string;
}

const maxFilters = 10;

const cvmFilters = {
  maxValues: 5,
  tooManyCode: 'InvalidFilterValue.LimitExceeded',
  incompleteCode: 'InvalidFilter',
  notListCode: 'InvalidParameter',
};

/**
 * Reads the list `Filters.N`: at most 10, each with a Name and Values. Empty when there is none.
 *
 * @param rules where they differ from those of cvm
 * @throws ServiceError `InvalidParameter` for another type, or a code of the rules
 */
export function filtersOf(
  parameters: Parameters,
  rules: Partial<FilterRules> = {},
): readonly Filter[] {
  const { maxValues, tooManyCode, incompleteCode, notListCode } = { ...cvmFilters, ...rules };
  const value = parameters.values.get('Filters');
  if (value === undefined) return [];
  const { form } = parameters;
  const filters = asList(value, 'Filters', form);
  if (filters.length > maxFilters) throw new ServiceError(tooManyCode);
  return filters.map((item, index) => {
    const path = `Filters.${index}`;
    const { Name: name, Values: given, ...others } = isParameterMap(item) ? item : {};
    const isComplete = name !== undefined && given !== undefined;
    const isAlone = Object.keys(others).length === 0;
    const message = `The filter \`${path}\` needs Name and Values only.`;
    check(isComplete && isAlone, incompleteCode, message);
    const values = asList(given, `${path}.Values`, form, notListCode);
    if (values.length > maxValues) throw new ServiceError(tooManyCode);
    check(values.length > 0, incompleteCode, `The filter \`${path}\` has no values.`);
    return {
      name: asString(name, `${path}.Name`),
      values: values.map((text, n) => asString(text, `${path}.Values.${n}`)),
    };
  });
}

function asString(value: ParameterValue, name: string): string {
  if (typeof value !== 'string') throw typeError(name, 'String');
  return value;
}

function asBoolean(value: ParameterValue, name: string, form: Parameters['form']): boolean {
  if (typeof value === 'boolean') return value;
  const word = form === 'text' && typeof value === 'string' ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw typeError(name, 'Boolean');
  return word === 'true';
}

function asInteger(value: ParameterValue, name: string, form: Parameters['form']): number {
  const isText = form === 'text' && typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw typeError(name, 'Integer');
  return number;
}

/**
 * The elements of a list. In the text form, indices can begin with any number and have gaps. Their order is the order
 * of the list.
 */
function asList(
  value: ParameterValue,
  name: string,
  form: Parameters['form'],
  code = 'InvalidParameter',
): readonly ParameterValue[] {
  if (form === 'json' && isList(value)) return value;
  if (form === 'text' && isParameterMap(value)) {
    const entries = Object.entries(value);
    if (entries.every(([index]) => /^\d{1,9}$/.test(index))) {
      return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
    }
  }
  throw typeError(name, 'Array', code);
}

function isList(value: ParameterValue): value is readonly ParameterValue[] {
  return Array.isArray(value);
}

function typeError(name: string, type: string, code = 'InvalidParameter'): ServiceError {
  return new ServiceError(
    code,
    `The value type of parameter \`${name.slice(0, 100)}\` is not valid: it should be ${type}.`,
  );
}

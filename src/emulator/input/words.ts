/**
 * One thing has two forms, and these rules turn one into the other. A scenario file and the control API have
 * names such as `template_id`, and durations such as `latency: 50ms`. Code has `templateId` and `latencyMs: 50`.
 */
import { z } from 'zod';

const durations = [
  'at',
  'from',
  'until',
  'duration',
  'latency',
  'valid_for',
  'session',
  'max_session',
  'idle_connection',
  'timeline_repeats_every',
] as const;
type DurationName = (typeof durations)[number];

/** Maps whose names are words of the service, of HTTP, or of the user. They are the same in both forms. */
const foreign = ['data', 'fields', 'headers', 'tags'] as const;
type ForeignName = (typeof foreign)[number];

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type NameInCode<Name> = Name extends DurationName ? `${CamelCase<Name>}Ms` : CamelCase<Name>;
type Milliseconds<T> = T extends string
  ? number
  : { readonly [Name in keyof T]: T[Name] extends string ? number : T[Name] };

/** What code passes in place of a part of a scenario. */
export type InCode<T> = T extends readonly (infer Item)[]
  ? readonly InCode<Item>[]
  : T extends object
    ? {
        readonly [Name in keyof T as NameInCode<Name>]: Name extends ForeignName
          ? T[Name]
          : Name extends DurationName
            ? Milliseconds<T[Name]>
            : InCode<T[Name]>;
      }
    : T;

/** The same values under the names of code. */
type Renamed<T> = T extends object ? { [Name in keyof T as NameInCode<Name>]: T[Name] } : never;

const namesInCode = new Map<string, string>(
  durations.map((name) => [name, `${camelCase(name)}Ms`]),
);
const namesInScenario = new Map([...namesInCode].map(([name, inCode]) => [inCode, name]));
const isForeign: ReadonlySet<string> = new Set(foreign);

/** The schema of a map, with an output whose names are those of code. Maps inside it are not renamed. */
export function inCode<S extends z.ZodType<object>>(schema: S) {
  const renamed: z.ZodType<Renamed<z.output<S>>> = z.custom<Renamed<z.output<S>>>();
  return schema
    .transform((value): unknown =>
      renameKeys(value, (name) => namesInCode.get(name) ?? camelCase(name)),
    )
    .pipe(renamed);
}

/** The value in the form of a scenario. */
export function inScenarioWords(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      const duration = namesInScenario.get(name);
      if (duration !== undefined) return [duration, durationText(inner)];
      return [snakeCase(name), isForeign.has(name) ? inner : convert(inner)];
    }),
  );
}

/** The value with the names of a scenario. Its values stay. */
export function withSnakeCase(value: object): Record<string, unknown> {
  return renameKeys(value, snakeCase);
}

function renameKeys(value: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [rename(name), inner]),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => `_${letter.toLowerCase()}`);
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  return typeof value === 'object' && value !== null ? inScenarioWords(value) : value;
}

/** A duration as text, from milliseconds or from a map of milliseconds. */
function durationText(value: unknown): unknown {
  if (typeof value === 'number') return `${value}ms`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, ms]) => [name, durationText(ms)]));
}

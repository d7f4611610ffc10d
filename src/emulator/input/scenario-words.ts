/**
 * Code says `templateId` and `latencyMs: 50` where a scenario file says `template_id` and `latency: 50ms`.
 * What comes from code is put into the words of the file, and validated like the file.
 */
const renamed = new Map([
  ['quotaType', 'quota_type'],
  ['templateId', 'template_id'],
  ['defaultVersion', 'default_version'],
  ['creationTime', 'creation_time'],
  ['onceLimit', 'once_limit'],
  ['sizeBytes', 'size_bytes'],
  ['contentType', 'content_type'],
]);

const durations = new Map([
  ['fromMs', 'from'],
  ['untilMs', 'until'],
  ['durationMs', 'duration'],
  ['latencyMs', 'latency'],
]);

/** Their keys are the service's or HTTP's words, not ours. */
const taken = new Set(['data', 'fields', 'headers', 'tags']);

/** The same in the words of a scenario file. */
export function inScenarioWords(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      const duration = durations.get(name);
      if (duration !== undefined) return [duration, durationText(inner)];
      return [renamed.get(name) ?? name, taken.has(name) ? inner : convert(inner)];
    }),
  );
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  return typeof value === 'object' && value !== null ? inScenarioWords(value) : value;
}

/** Of milliseconds, or of a map of them. */
function durationText(value: unknown): unknown {
  if (typeof value === 'number') return `${value}ms`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, ms]) => [name, durationText(ms)]));
}

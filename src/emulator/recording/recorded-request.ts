/** What requests are recorded and replayed by: everything that decides an answer, without the signature. */
import type { DecodedRequest } from '../protocol/decode.ts';
import type { ParameterValue } from '../protocol/parameters.ts';

export interface RecordedRequest {
  readonly action: string;
  /** `null` for an operation without a region. */
  readonly region: string | null;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** `null` for a request without an action. */
export function recordedRequest(request: DecodedRequest): RecordedRequest | null {
  const { action, region, parameters } = request;
  if (action === null) return null;
  return { action, region, parameters: Object.fromEntries(parameters.values) };
}

/**
 * Equal for requests that ask the same: in text or as JSON, with parameters in any order. `Limit=100` and
 * `"Limit": 100` are the same, and so are a list and its items by index.
 */
export function keyOf({ action, region, parameters }: RecordedRequest): string {
  return JSON.stringify([action, region, normalized(parameters)]);
}

function normalized(value: ParameterValue): unknown {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, normalized(inner)]);
}

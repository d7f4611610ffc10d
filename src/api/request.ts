/** A request to the service, and its form as a query string. */

/** The version of the service's interface (docs/service.md, section 3). */
export const apiVersion = '2017-03-12';

export type Parameter = readonly [name: string, value: string];

export interface ServiceRequest {
  readonly operation: string;
  readonly region: string;
  /** The operation's own parameters. Lists are already indexed: `Filters.0.Name`. */
  readonly parameters: readonly Parameter[];
  /** The parameters of an operation of STS. An operation of CVM has none. */
  readonly sts?: StsParameters;
}

/** Parameters that are secrets among others. They are sent as JSON, and not in a query string. */
export interface StsParameters {
  readonly body: Readonly<Record<string, string | number>>;
  /** The values of the body that must not be in any message. */
  readonly secrets: readonly string[];
}

/** A request in the form in which it is sent. */
export interface WireRequest {
  /** `/` and the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of a POST request. `null` for a GET request. */
  readonly body: string | null;
  /** The parts that must not be in any message, also when the service sends them back. */
  readonly secrets: readonly string[];
}

/** The request without a signature. */
export function unsignedRequest(request: ServiceRequest): WireRequest {
  const { operation, region, parameters } = request;
  const query = encodeQuery([
    ['Action', operation],
    ['Version', apiVersion],
    ['Region', region],
    ...parameters,
  ]);
  return { path: `/?${query}`, headers: {}, body: null, secrets: [] };
}

/** Percent-encodes the values (RFC 3986, upper-case hex; docs/service.md, section 4.1). Names need none. */
export function encodeQuery(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&');
}

const unreserved = /^[A-Za-z0-9._~-]*$/;

function percentEncode(value: string): string {
  if (unreserved.test(value)) return value;
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

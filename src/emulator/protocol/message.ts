/** A request as it arrived, before anything is made of it. */
export interface EmulatorRequest {
  readonly method: string;
  /** Path and query exactly as sent, such as `/?Action=DescribeAccountQuota`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array;
}

/** How a body reaches the client; anything but `whole` is a fault that the connection carries out. */
export type Delivery =
  | { readonly kind: 'whole' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'slow'; readonly durationMs: number }
  | { readonly kind: 'gzip-bomb'; readonly sizeBytes: number }
  | { readonly kind: 'huge'; readonly sizeBytes: number };

/** What the emulator answers, and how. */
export interface EmulatorReply {
  readonly status: number;
  readonly contentType: string;
  /** Further ones, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the answer is held back. */
  readonly latencyMs: number;
  readonly delivery: Delivery;
}

/** A header's value; of several, the first. */
export function headerOf(request: Pick<EmulatorRequest, 'headers'>, name: string): string | null {
  const value = request.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

/**
 * A request with the path and query alone as its target. Clients that take the emulator for a proxy send
 * a whole URL (RFC 9112, section 3.2.2); its host then counts, and not the Host header.
 */
export function inOriginForm(request: EmulatorRequest): EmulatorRequest {
  const [matched, host] = /^https?:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  if (matched === undefined || host === undefined) return request;
  const rest = request.target.slice(matched.length);
  return {
    ...request,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    headers: { ...request.headers, host },
  };
}

/** The Authorization header of TC3 (docs/service.md, section 4.2). */

/** The parts of an Authorization header. */
export interface Tc3Authorization {
  readonly secretId: string;
  /** The day in UTC, such as `2023-11-14`. */
  readonly date: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const form =
  /^TC3-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{4}-\d{2}-\d{2})\/([^/\s,]+)\/tc3_request, ?SignedHeaders=([^\s,]+), ?Signature=([0-9a-f]{64})$/;

/** Reads an Authorization header. Returns `null` when it is malformed. */
export function parseAuthorization(header: string): Tc3Authorization | null {
  const match = form.exec(header);
  if (match === null) return null;
  const [, secretId = '', date = '', service = '', names = '', signature = ''] = match;
  const signedHeaders = names.split(';');
  const isComplete = signedHeaders.includes('content-type') && signedHeaders.includes('host');
  return isComplete ? { secretId, date, service, signedHeaders, signature } : null;
}

/** The messages that were seen of the live service. Others depend on the request, or name their code. */
const messages: ReadonlyMap<string, string> = new Map([
  [
    'AuthFailure.SecretIdNotFound',
    'The SecretId is not found, please ensure that your SecretId is correct.',
  ],
  [
    'AuthFailure.SignatureFailure',
    'The provided credentials could not be validated. Please check your signature is correct.',
  ],
  ['UnsupportedRegion', 'The action not support this region.'],
]);

/** The service refuses a request. The error is sent in the envelope. It is not a failure of the emulator. */
export class ServiceError extends Error {
  /** One of docs/service.md, sections 5.4, 6.5, 9 and 16.4. */
  readonly code: string;

  /** @param message defaults to that of the code */
  constructor(code: string, message?: string) {
    super(message ?? messages.get(code) ?? `The request failed with ${code}.`);
    this.name = 'ServiceError';
    this.code = code;
  }
}

/** @throws ServiceError `MissingParameter` when there is no value */
export function required(value: string | null, name: string): string {
  if (value !== null) return value;
  throw new ServiceError(
    'MissingParameter',
    `The request is missing a required parameter \`${name}\`.`,
  );
}

export function unknownFilterError(name: string): ServiceError {
  const message = `The filter \`${name.slice(0, 100)}\` is not recognized.`;
  return new ServiceError('InvalidFilter', message);
}

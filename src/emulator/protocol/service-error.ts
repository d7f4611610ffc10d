/** The error that every part of the emulator throws to refuse a request, and the refusals that several parts share. */

/** A refusal, which the client gets in the envelope. Any other error is a failure of the emulator. */
export class ServiceError extends Error {
  /** An error code of docs/service.md, sections 5.4, 6.5, 9 and 16.4, or of a fault rule. */
  readonly code: string;

  constructor(code: string, message?: string) {
    super(message ?? `The request failed with ${code}.`);
    this.name = 'ServiceError';
    this.code = code;
  }
}

/** @throws ServiceError with the code, unless the condition holds */
export function check(holds: boolean, code: string, message?: string): asserts holds {
  if (!holds) throw new ServiceError(code, message);
}

/**
 * Returns the value of a parameter, which may be empty.
 *
 * @param name the name of the parameter, for the message
 * @throws ServiceError `MissingParameter` when the value is absent
 */
export function required(value: string | null | undefined, name: string): string {
  const message = `The request is missing a required parameter \`${name}\`.`;
  if (value === null || value === undefined) throw new ServiceError('MissingParameter', message);
  return value;
}

/** The refusal of a filter that the operation does not have. The caller throws it. */
export function unknownFilterError(name: string, code = 'InvalidFilter'): ServiceError {
  const message = `The filter \`${name.slice(0, 100)}\` is not recognized.`;
  return new ServiceError(code, message);
}

/** A flag that is wrong beside the configuration. The message says what to write instead. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}

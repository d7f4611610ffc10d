/** A change that the state does not allow. `path` is the place of the mistake in the scenario or action. */
export class StateError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'StateError';
    this.path = path;
  }
}

/** Runs `work`, and puts `path` before the paths of its errors. */
export function within<T>(path: readonly (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new StateError([...path, ...error.path], error.message);
  }
}

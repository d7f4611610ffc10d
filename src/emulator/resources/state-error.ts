/** What the state does not allow; `path` leads to the part of the scenario or action that is wrong. */
export class StateError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'StateError';
    this.path = path;
  }
}

/** Runs `work`, whose errors have paths that begin at `path`. */
export function within<T>(path: readonly (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new StateError([...path, ...error.path], error.message);
  }
}

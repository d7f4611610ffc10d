import { BoundedCalls, type CallKind } from '../../src/bounded-calls.ts';

/** Calls that hang from {@link hang} until {@link letGo}. */
export class HangingCalls extends BoundedCalls {
  letGo: () => void = () => undefined;
  #gate = Promise.resolve();

  hang(): void {
    this.#gate = new Promise<void>((resolve) => {
      this.letGo = resolve;
    });
  }

  override run<T>(kind: CallKind, path: string, work: () => Promise<T>): Promise<T> {
    const gate = this.#gate;
    return super.run(kind, path, () => gate.then(work));
  }
}

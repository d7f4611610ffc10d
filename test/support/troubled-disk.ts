/** A storage in trouble, for a daemon in this process. */
import { setTimeout as delay } from 'node:timers/promises';
import { BoundedCalls, type CallKind } from '../../src/bounded-calls.ts';

/** What happens to each call: it fails with a code such as `ENOSPC`, never ends (`hangs`), or takes a time first. */
export type Trouble = string | { readonly slowMs: number } | null;

/** The calls of a daemon to its files. Those to the storage meet the trouble of the moment. */
export class TroubledDisk extends BoundedCalls {
  trouble: Trouble = null;
  /** How many calls were made to the storage. */
  calls = 0;
  readonly #hanging: (() => void)[] = [];
  #underWay = 0;

  override run<T>(kind: CallKind, path: string, work: () => Promise<T>): Promise<T> {
    if (kind !== 'storage') return super.run(kind, path, work);
    return super.run(kind, path, async () => {
      this.calls += 1;
      this.#underWay += 1;
      try {
        await this.#meet();
        return await work();
      } finally {
        this.#underWay -= 1;
      }
    });
  }

  /** Ends the trouble. Resolves when what hung has ended: until then, a daemon does not try it again. */
  async heal(): Promise<void> {
    this.trouble = null;
    for (const letGo of this.#hanging.splice(0)) letGo();
    do await delay(5);
    while (this.#underWay > 0);
  }

  async #meet(): Promise<void> {
    const { trouble } = this;
    if (trouble === null) return;
    if (trouble === 'hangs') await new Promise<void>((resolve) => this.#hanging.push(resolve));
    else if (typeof trouble === 'string') {
      throw Object.assign(new Error(`${trouble}: as ordered`), { code: trouble });
    } else await delay(trouble.slowMs);
  }
}

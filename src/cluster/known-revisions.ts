/** The revisions of the stored records, as one daemon knows them. */

interface KnownAccount {
  id: string;
  /** By the keys of the targets. */
  readonly revisions: Map<string, number>;
}

export class KnownRevisions {
  readonly #accounts = new Map<string, KnownAccount>();

  /** Redis told the ID of an account. Another one than before means that its revisions begin again. */
  identified(account: string, id: string): void {
    if (this.#accounts.get(account)?.id === id) return;
    this.#accounts.set(account, { id, revisions: new Map() });
  }

  /** 0 when no record is known. */
  of(account: string, key: string): number {
    return this.#accounts.get(account)?.revisions.get(key) ?? 0;
  }

  /** An older revision than the known one changes nothing. */
  set(account: string, key: string, revision: number): void {
    const known = this.#accounts.get(account)?.revisions;
    known?.set(key, Math.max(revision, known.get(key) ?? 0));
  }

  forgetAll(account: string): void {
    this.#accounts.get(account)?.revisions.clear();
  }

  forget(account: string, key: string): void {
    this.#accounts.get(account)?.revisions.delete(key);
  }
}

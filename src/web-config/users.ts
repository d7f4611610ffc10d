/** Checks names and passwords (RFC 7617). */
import { createHmac, randomBytes } from 'node:crypto';

/** `busy`: not checked, because too many other passwords are being checked. */
export type Verdict = 'right' | 'wrong' | 'busy';

export interface Login {
  readonly user: string;
  readonly password: string;
  /** The address of the client. */
  readonly client: string;
}

/** Results that are kept of each kind. Wrong passwords displace no right ones. */
const maxKept = 1_000;

/** Passwords that may wait for their check. One client, with any number of guesses, holds few places. */
const maxWaiting = 64;
const maxWaitingOfClient = 4;

/** Checks passwords against bcrypt hashes, and keeps the results. */
export class Users {
  readonly #compare: (password: string, hash: string) => Promise<boolean>;
  /** The key of the hashes below. Without it, a kept hash does not help to guess a password. */
  readonly #secret = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #wrong = new Set<string>();
  readonly #waiting = new Map<string, Promise<Verdict>>();
  readonly #waitingOfClient = new Map<string, number>();

  constructor(compare: (password: string, hash: string) => Promise<boolean>) {
    this.#compare = compare;
  }

  /**
   * Answers at once if the result is known.
   *
   * @param hashes the bcrypt hash of each user's password; at least one
   */
  check(login: Login, hashes: ReadonlyMap<string, string>): Verdict | Promise<Verdict> {
    const { user, password } = login;
    const own = hashes.get(user);
    // An unknown user takes as long as a known one: as some user, and for the same name always the same one.
    const hash = own ?? this.#someOf([...hashes.values()], user);
    const key = this.#digest(own === undefined ? 'unknown' : 'known', user, hash, password);
    if (this.#right.has(key)) return 'right';
    if (this.#wrong.has(key)) return 'wrong';
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    if (this.#isBusy(login)) return 'busy';
    const checking = this.#checkNew(login, hash, own !== undefined, key);
    this.#waiting.set(key, checking);
    return checking;
  }

  async #checkNew(
    { password, client }: Login,
    hash: string,
    isKnown: boolean,
    key: string,
  ): Promise<Verdict> {
    this.#waitingOfClient.set(client, this.#waitingCount(client) + 1);
    try {
      const isRight = (await this.#compare(password, hash)) && isKnown;
      keep(isRight ? this.#right : this.#wrong, key);
      return isRight ? 'right' : 'wrong';
    } finally {
      this.#waiting.delete(key);
      const left = this.#waitingCount(client) - 1;
      if (left === 0) this.#waitingOfClient.delete(client);
      else this.#waitingOfClient.set(client, left);
    }
  }

  #isBusy({ client }: Login): boolean {
    return this.#waiting.size >= maxWaiting || this.#waitingCount(client) >= maxWaitingOfClient;
  }

  #waitingCount(client: string): number {
    return this.#waitingOfClient.get(client) ?? 0;
  }

  #someOf(hashes: readonly string[], user: string): string {
    const digest = createHmac('sha256', this.#secret).update(user).digest();
    return hashes[digest.readUInt32BE() % hashes.length] ?? '';
  }

  #digest(...parts: readonly string[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64');
  }
}

/** Displaces the oldest key if the set is full. */
function keep(set: Set<string>, key: string): void {
  const [oldest] = set;
  if (set.size >= maxKept && oldest !== undefined) set.delete(oldest);
  set.add(key);
}

/** Reads the header `Authorization`. Returns `null` if it has no name and password. */
export function readBasicAuth(
  header: string | undefined,
): { readonly user: string; readonly password: string } | null {
  const [, encoded] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. */
import { createHmac, randomBytes } from 'node:crypto';

/** `busy`: not checked, because too many other passwords wait for their check. */
export type Verdict = 'right' | 'wrong' | 'busy';

export interface Login {
  readonly user: string;
  readonly password: string;
  /** The address of the client. */
  readonly address: string;
}

interface Guess {
  readonly network: string;
  readonly compare: () => Promise<Verdict>;
  readonly answer: (verdict: Verdict | Promise<Verdict>) => void;
}

/** Results that are kept of each kind. Wrong passwords displace no right ones. */
const maxKept = 1_000;
const maxWaiting = 64;
/** How long the guesses of a network count against it. */
const forgetMs = 60_000;

/**
 * Checks passwords against bcrypt hashes, one at a time, and keeps the results. A check takes some 50 ms, and
 * guesses may come faster. So the next one is that of the network with the fewest guesses, and of several
 * such ones the newest. The last in this order is refused when too many wait.
 */
export class Passwords {
  readonly #compare: (password: string, hash: string) => Promise<boolean>;
  /** The key of the digests below. Without it, they do not help to guess a password. */
  readonly #secret = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #wrong = new Set<string>();
  /** Requests with the same login wait for one check. */
  readonly #underWay = new Map<string, Promise<Verdict>>();
  /** The newest last. */
  #waiting: readonly Guess[] = [];
  #isComparing = false;
  /** The number of guesses by network. */
  readonly #guesses = new Map<string, number>();
  #forgottenAtMs = -Infinity;

  constructor(compare: (password: string, hash: string) => Promise<boolean>) {
    this.#compare = compare;
  }

  /**
   * Answers at once if the result is known.
   *
   * @param hashes the bcrypt hash of each user's password; at least one
   * @param nowMs of a clock that never goes back
   */
  check(
    { user, password, address }: Login,
    hashes: ReadonlyMap<string, string>,
    nowMs: number,
  ): Verdict | Promise<Verdict> {
    const own = hashes.get(user);
    // An unknown user takes as long as a known one.
    const [someHash = ''] = hashes.values();
    const hash = own ?? someHash;
    const key = this.#digest([own !== undefined, user, hash, password]);
    if (this.#right.has(key)) return 'right';
    if (this.#wrong.has(key)) return 'wrong';
    const compare = async (): Promise<Verdict> => {
      const isRight = (await this.#compare(password, hash)) && own !== undefined;
      const kept = isRight ? this.#right : this.#wrong;
      if (kept.size >= maxKept) kept.clear();
      kept.add(key);
      return isRight ? 'right' : 'wrong';
    };
    const verdict =
      this.#underWay.get(key) ??
      new Promise<Verdict>((answer) => {
        this.#add({ network: networkOf(address), compare, answer }, nowMs);
      }).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, verdict);
    return verdict;
  }

  #add(guess: Guess, nowMs: number): void {
    if (nowMs - this.#forgottenAtMs >= forgetMs) {
      this.#guesses.clear();
      this.#forgottenAtMs = nowMs;
    }
    this.#guesses.set(guess.network, this.#countOf(guess) + 1);
    // Sorting is stable: of equal ones, the newest stays the last.
    this.#waiting = [...this.#waiting, guess].sort((a, b) => this.#countOf(b) - this.#countOf(a));
    if (this.#waiting.length > maxWaiting) {
      this.#waiting[0]?.answer('busy');
      this.#waiting = this.#waiting.slice(1);
    }
    if (!this.#isComparing) void this.#compareAll();
  }

  async #compareAll(): Promise<void> {
    this.#isComparing = true;
    for (let next = this.#waiting.at(-1); next !== undefined; next = this.#waiting.at(-1)) {
      this.#waiting = this.#waiting.slice(0, -1);
      const verdict = next.compare();
      next.answer(verdict);
      if ((await verdict.catch(() => 'wrong')) === 'right') this.#guesses.delete(next.network);
    }
    this.#isComparing = false;
  }

  #countOf({ network }: Guess): number {
    return this.#guesses.get(network) ?? 0;
  }

  #digest(parts: readonly unknown[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64');
  }
}

/** The address of IPv4, and the first 64 bits of one of IPv6: a client has all addresses below them. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
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

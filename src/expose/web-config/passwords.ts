/** Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. */
import { createHmac, randomBytes } from 'node:crypto';

/** `busy`: not checked, because too many other passwords wait for their check. */
export type Verdict = 'right' | 'wrong' | 'busy';

export interface Login {
  readonly user: string;
  readonly password: string;
}

interface Guess {
  readonly network: string;
  readonly compare: () => Promise<Verdict>;
  readonly answer: (verdict: Verdict | Promise<Verdict>) => void;
}

const maxWaiting = 64;
/** Networks whose guesses are counted. */
const maxNetworks = 10_000;

/**
 * Checks passwords against bcrypt hashes, one at a time, and remembers the right ones. A check takes some 100 ms, and
 * guesses may come faster. So the next one is that of the network with the fewest guesses, and of several
 * such ones the newest. The last in this order is refused when too many wait.
 */
export class Passwords {
  readonly #compare: (password: string, hash: string) => Promise<boolean>;
  /** The key of the digests below. Without it, they do not help to guess a password. */
  readonly #secret = randomBytes(32);
  /** One for each user and hash, at most. */
  readonly #right = new Set<string>();
  /** The newest last. */
  #waiting: readonly Guess[] = [];
  #isComparing = false;
  /** The number of guesses by network, since no guess was waiting. */
  readonly #guesses = new Map<string, number>();

  constructor(compare: (password: string, hash: string) => Promise<boolean>) {
    this.#compare = compare;
  }

  /**
   * @param address that of the client
   * @param hashes the bcrypt hash of each user's password; at least one
   */
  async check(
    { user, password }: Login,
    address: string,
    hashes: ReadonlyMap<string, string>,
  ): Promise<Verdict> {
    const own = hashes.get(user);
    // An unknown user takes as long as a known one.
    const [someHash = ''] = hashes.values();
    const hash = own ?? someHash;
    const login = JSON.stringify([own !== undefined, user, hash, password]);
    const key = createHmac('sha256', this.#secret).update(login).digest('base64');
    if (this.#right.has(key)) return 'right';
    const compare = async (): Promise<Verdict> => {
      // Another request with the same login may have been first.
      if (this.#right.has(key)) return 'right';
      const isRight = (await this.#compare(password, hash)) && own !== undefined;
      if (isRight) this.#right.add(key);
      return isRight ? 'right' : 'wrong';
    };
    return new Promise((answer) => {
      this.#add({ network: networkOf(address), compare, answer });
    });
  }

  #add(guess: Guess): void {
    if (this.#guesses.size >= maxNetworks) this.#guesses.clear();
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
    this.#guesses.clear();
    this.#isComparing = false;
  }

  #countOf({ network }: Guess): number {
    return this.#guesses.get(network) ?? 0;
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
export function readBasicAuth(header: string | undefined): Login | null {
  const [, encoded] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

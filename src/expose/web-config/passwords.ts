/** Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. */
import { createHmac, randomBytes } from 'node:crypto';

type Login = Readonly<Record<'username' | 'password', string>>;

/** `busy`: not checked, because too many other passwords wait for their check. */
export type Verdict = 'right' | 'wrong' | 'busy';

/** A password that waits for its turn. */
interface Guess {
  readonly network: string;
  /** `false`: it is not compared. */
  readonly begin: (isCompared: boolean) => void;
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
  readonly #waiting: Guess[] = [];
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
    { username, password }: Login,
    address: string,
    hashes: ReadonlyMap<string, string>,
  ): Promise<Verdict> {
    const own = hashes.get(username);
    // An unknown user takes as long as a known one.
    const [someHash = ''] = hashes.values();
    const hash = own ?? someHash;
    const login = JSON.stringify([own !== undefined, username, hash, password]);
    const key = createHmac('sha256', this.#secret).update(login).digest('base64');
    if (this.#right.has(key)) return 'right';
    const network = networkOf(address);
    if (!(await this.#turn(network))) return 'busy';
    try {
      // Another request with the same login may have been first.
      const isRight =
        this.#right.has(key) || ((await this.#compare(password, hash)) && own !== undefined);
      if (!isRight) return 'wrong';
      this.#right.add(key);
      this.#guesses.delete(network);
      return 'right';
    } finally {
      this.#next();
    }
  }

  /** Waits until a password may be compared. Returns `false` when too many wait. */
  #turn(network: string): Promise<boolean> {
    if (this.#guesses.size >= maxNetworks) this.#guesses.clear();
    const countOf = (guess: Pick<Guess, 'network'>) => this.#guesses.get(guess.network) ?? 0;
    this.#guesses.set(network, countOf({ network }) + 1);
    return new Promise((begin) => {
      this.#waiting.push({ network, begin });
      // Sorting is stable: of equal ones, the newest stays the last.
      this.#waiting.sort((a, b) => countOf(b) - countOf(a));
      if (!this.#isComparing) this.#next();
      else if (this.#waiting.length > maxWaiting) this.#waiting.shift()?.begin(false);
    });
  }

  #next(): void {
    const next = this.#waiting.pop();
    this.#isComparing = next !== undefined;
    if (next === undefined) this.#guesses.clear();
    else next.begin(true);
  }
}

/** The address of IPv4, and the first 64 bits of one of IPv6: a client has all addresses below them. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const zeros = '0:'.repeat(9 - address.split(':').length);
  return address.replace('::', `:${zeros}`).split(':', 4).join(':');
}

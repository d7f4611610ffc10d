/** Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. */
import { createHmac, randomBytes } from 'node:crypto';

type Login = Readonly<Record<'username' | 'password', string>>;

/** `busy`: not checked, because too many other passwords wait for their check. */
export type LoginResult = 'right' | 'wrong' | 'busy';

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
export function createPasswordCheck(compare: (password: string, hash: string) => Promise<boolean>) {
  /** The key of the digests below. Without it, they do not help to guess a password. */
  const secret = randomBytes(32);
  /** One for each user and hash, at most. */
  const right = new Set<string>();
  /** The newest last. */
  const waiting: Guess[] = [];
  let isComparing = false;
  /** The number of guesses by network, since no guess was waiting. */
  const guesses = new Map<string, number>();

  const next = () => {
    const guess = waiting.pop();
    isComparing = guess !== undefined;
    if (guess === undefined) guesses.clear();
    else guess.begin(true);
  };

  /** Waits until a password may be compared. Gives `false` when too many wait. */
  const turn = (network: string): Promise<boolean> => {
    if (guesses.size >= maxNetworks) guesses.clear();
    const countOf = (guess: Pick<Guess, 'network'>) => guesses.get(guess.network) ?? 0;
    guesses.set(network, countOf({ network }) + 1);
    return new Promise((begin) => {
      waiting.push({ network, begin });
      // Sorting is stable: of equal ones, the newest stays the last.
      waiting.sort((a, b) => countOf(b) - countOf(a));
      if (!isComparing) next();
      else if (waiting.length > maxWaiting) waiting.shift()?.begin(false);
    });
  };

  /**
   * @param address that of the client
   * @param hashes the bcrypt hash of each user's password; at least one
   */
  return async (
    { username, password }: Login,
    address: string,
    hashes: ReadonlyMap<string, string>,
  ): Promise<LoginResult> => {
    const own = hashes.get(username);
    // An unknown user takes as long as a known one.
    const [someHash = ''] = hashes.values();
    const hash = own ?? someHash;
    const login = JSON.stringify([own !== undefined, username, hash, password]);
    const key = createHmac('sha256', secret).update(login).digest('base64');
    if (right.has(key)) return 'right';
    const network = networkOf(address);
    if (!(await turn(network))) return 'busy';
    try {
      // Another request with the same login may have been first.
      const isRight = right.has(key) || ((await compare(password, hash)) && own !== undefined);
      if (!isRight) return 'wrong';
      right.add(key);
      guesses.delete(network);
      return 'right';
    } finally {
      next();
    }
  };
}

/** The address of IPv4, and the first 64 bits of one of IPv6: a client has all addresses below them. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const zeros = '0:'.repeat(9 - address.split(':').length);
  return address.replace('::', `:${zeros}`).split(':', 4).join(':');
}

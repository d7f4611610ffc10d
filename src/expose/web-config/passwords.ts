/**
 * Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. `protection.ts` asks for each
 * request with a login:
 *
 * 1. A login that was right before is right at once.
 * 2. Any other one waits in a queue, and is `busy` if too many wait.
 * 3. When it is taken from the queue, its password is compared. At the end, it lets the next one begin.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { networkOf } from '../listen-address.ts';

type Login = Readonly<Record<'username' | 'password', string>>;

/** `busy`: not checked, because too many other passwords wait to be checked. */
type LoginResult = 'right' | 'wrong' | 'busy';

/** Maximum number of logins that wait. */
const maxWaiting = 64;
/** Maximum number of networks whose logins are counted. Then counting begins again. */
const maxNetworks = 10_000;

/**
 * Creates the check of logins against bcrypt hashes. It compares one password at a time, and remembers the right logins. A
 * comparison takes some 100 ms, and guesses may come faster. So the next login is that of the network with the fewest
 * logins, and of several such ones the newest. When too many wait, the last in this order is `busy`.
 *
 * @param compare tells whether the password has the hash. If it rejects, so does the check
 */
export function createPasswordCheck(compare: (password: string, hash: string) => Promise<boolean>) {
  /** The key of the digests in `rightLogins`: without it, a digest in a dump of memory does not help to guess a password. */
  const secret = randomBytes(32);
  /** Digests of logins that were right: one for each user and hash, and more only for passwords of over 72 bytes. */
  const rightLogins = new Set<string>();
  /**
   * The logins that wait, the next one at the end. `settle(true)`: its password may be compared. `settle(false)`: it is
   * refused, because too many wait.
   */
  const queue: { network: string; settle: (mayCompare: boolean) => void }[] = [];
  let isComparing = false;
  /** The number of logins of each network that came since the queue was empty and nothing was compared. */
  const loginCounts = new Map<string, number>();

  const beginNext = () => {
    const waiting = queue.pop();
    isComparing = waiting !== undefined;
    if (waiting === undefined) loginCounts.clear();
    else waiting.settle(true);
  };

  /** Resolves with `true` when a password may be compared: then the caller must end with `beginNext`. `false`: too many wait. */
  const waitToCompare = (network: string): Promise<boolean> => {
    if (loginCounts.size >= maxNetworks) loginCounts.clear();
    const countOf = (name: string) => loginCounts.get(name) ?? 0;
    loginCounts.set(network, countOf(network) + 1);
    return new Promise((settle) => {
      queue.push({ network, settle });
      // Most logins first. Sorting is stable: of equal ones, the newest stays the last, and so is the next.
      queue.sort((a, b) => countOf(b.network) - countOf(a.network));
      if (!isComparing) beginNext();
      else if (queue.length > maxWaiting) queue.shift()?.settle(false);
    });
  };

  /**
   * @param address the IP address of the client
   * @param hashes the bcrypt hash of each user's password; at least one
   */
  return async (
    { username, password }: Login,
    address: string,
    hashes: ReadonlyMap<string, string>,
  ): Promise<LoginResult> => {
    const userHash = hashes.get(username);
    // An unknown user takes as long as a known one: the password is compared with some hash.
    const [someHash = ''] = hashes.values();
    const hash = userHash ?? someHash;
    const login = JSON.stringify([userHash !== undefined, username, hash, password]);
    const digest = createHmac('sha256', secret).update(login).digest('base64');
    if (rightLogins.has(digest)) return 'right';
    const network = networkOf(address);
    if (!(await waitToCompare(network))) return 'busy';
    try {
      // Another request with the same login may have been first.
      const isRight =
        rightLogins.has(digest) || ((await compare(password, hash)) && userHash !== undefined);
      if (!isRight) return 'wrong';
      rightLogins.add(digest);
      // A network with a right login does not guess.
      loginCounts.delete(network);
      return 'right';
    } finally {
      beginNext();
    }
  };
}

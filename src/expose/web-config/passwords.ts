/** Checks names and passwords (RFC 7617), so that those who guess do not delay those who know. */
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
 * Creates the check of logins against bcrypt hashes. It compares one password at a time, and remembers the right ones. A
 * comparison takes some 100 ms, and guesses may come faster. So the next login is that of the network with the fewest
 * logins, and of several such ones the newest. When too many wait, the last in this order is `busy`.
 */
export function createPasswordCheck(compare: (password: string, hash: string) => Promise<boolean>) {
  /** The key of the digests in `rightLogins`: without it, a digest in a dump of memory does not help to guess a password. */
  const secret = randomBytes(32);
  /** Digests of logins that were right: one for each user and hash, and more only for passwords of over 72 bytes. */
  const rightLogins = new Set<string>();
  /**
   * The logins that wait, in the order of the next checks, the first one at the end. `begin(true)`: the check begins.
   * `begin(false)`: too many wait, and there will be no check.
   */
  const waiting: { network: string; begin: (isChecked: boolean) => void }[] = [];
  let isComparing = false;
  /** The number of logins by network, since none was waiting. */
  const loginCounts = new Map<string, number>();

  const next = () => {
    const login = waiting.pop();
    isComparing = login !== undefined;
    if (login === undefined) loginCounts.clear();
    else login.begin(true);
  };

  /** Resolves when a password may be compared. `false`: too many wait. */
  const waitToCompare = (network: string): Promise<boolean> => {
    if (loginCounts.size >= maxNetworks) loginCounts.clear();
    const countOf = (name: string) => loginCounts.get(name) ?? 0;
    loginCounts.set(network, countOf(network) + 1);
    return new Promise((begin) => {
      waiting.push({ network, begin });
      // Sorting is stable: of equal ones, the newest stays the last.
      waiting.sort((a, b) => countOf(b.network) - countOf(a.network));
      if (!isComparing) next();
      else if (waiting.length > maxWaiting) waiting.shift()?.begin(false);
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
    const key = createHmac('sha256', secret).update(login).digest('base64');
    if (rightLogins.has(key)) return 'right';
    const network = networkOf(address);
    if (!(await waitToCompare(network))) return 'busy';
    try {
      // Another request with the same login may have been first.
      const isRight =
        rightLogins.has(key) || ((await compare(password, hash)) && userHash !== undefined);
      if (!isRight) return 'wrong';
      rightLogins.add(key);
      loginCounts.delete(network);
      return 'right';
    } finally {
      next();
    }
  };
}

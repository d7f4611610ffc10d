import { describe, expect, it } from 'vitest';
import { Users, readBasicAuth } from '../../../src/web-config/users.ts';

const hashes = new Map([
  ['alice', 'hash of a'],
  ['bob', 'hash of b'],
]);

/** Users whose passwords are compared when the test says so. */
function start() {
  const compared: [password: string, hash: string][] = [];
  const waiting: (() => void)[] = [];
  const users = new Users((password, hash) => {
    compared.push([password, hash]);
    return new Promise((resolve) => {
      waiting.push(() => {
        resolve(`hash of ${password}` === hash);
      });
    });
  });
  const check = (user: string, password: string, client = '::1') =>
    users.check({ user, password, client }, hashes);
  /** Lets all comparisons end. */
  const end = async () => {
    for (const go of waiting.splice(0)) go();
    await Promise.resolve();
  };
  const known = async (user: string, password: string, client?: string) => {
    const result = check(user, password, client);
    await end();
    return result;
  };
  return { compared, check, end, known };
}

describe('a password', () => {
  it.each([
    ['alice', 'a', 'right'],
    ['alice', 'b', 'wrong'],
    ['bob', 'b', 'right'],
    ['carol', 'a', 'wrong'],
    ['carol', 'b', 'wrong'],
  ])('of %s is compared once: %s is %s', async (user, password, verdict) => {
    const { compared, check, known } = start();

    expect(await known(user, password)).toBe(verdict);

    expect(check(user, password)).toBe(verdict);
    expect(compared).toHaveLength(1);
  });

  it('is compared once for requests at the same time', async () => {
    const { compared, check, end } = start();

    const verdicts = [check('alice', 'a'), check('alice', 'a'), check('alice', 'a')];
    await end();

    for (const verdict of verdicts) expect(await verdict).toBe('right');
    expect(compared).toHaveLength(1);
  });

  it('is compared again when the hash of the user has changed', async () => {
    const users = new Users((password, hash) => Promise.resolve(`hash of ${password}` === hash));
    const login = { user: 'alice', password: 'a', client: '' };
    expect(await users.check(login, new Map([['alice', 'hash of a']]))).toBe('right');

    expect(await users.check(login, new Map([['alice', 'hash of z']]))).toBe('wrong');
  });

  it('of an unknown user is compared with the hash of some user, always the same one', async () => {
    const { compared, known } = start();

    for (let i = 0; i < 20; i += 1) await known(`user ${i % 2}`, String(i));

    const hashesOf = (user: number) =>
      new Set(compared.filter((_, i) => i % 2 === user).map(([, hash]) => hash));
    expect([hashesOf(0).size, hashesOf(1).size]).toEqual([1, 1]);
  });

  it('stays known while others guess', async () => {
    const { compared, check, known } = start();
    await known('alice', 'a');
    for (let i = 0; i < 3_000; i += 1) await known('alice', `guess ${i}`);
    const before = compared.length;

    expect(check('alice', 'a')).toBe('right');

    expect(compared).toHaveLength(before);
    expect(check('alice', 'guess 0')).toBeInstanceOf(Promise);
  });
});

describe('passwords that wait', () => {
  it('are four of one client, and leave places for others', async () => {
    const { check, known } = start();

    const guesses = Array.from({ length: 6 }, (_, i) => check('alice', `guess ${i}`, 'attacker'));

    expect(guesses.slice(4)).toEqual(['busy', 'busy']);
    expect(await known('alice', 'a', 'prometheus')).toBe('right');
    expect(await known('alice', 'a', 'attacker')).toBe('right');
  });

  it('are 64 of all clients', async () => {
    const { check, known } = start();
    for (let i = 0; i < 64; i += 1) void check('alice', `guess ${i}`, `client ${i}`);

    expect(check('alice', 'a', 'prometheus')).toBe('busy');

    await known('alice', 'guess 0', 'client 0');
    expect(await known('alice', 'a', 'prometheus')).toBe('right');
  });

  it('free their places when the comparison fails', async () => {
    const users = new Users(() => Promise.reject(new Error('no thread')));
    const check = () => users.check({ user: 'alice', password: 'a', client: '' }, hashes);

    for (let i = 0; i < 10; i += 1) await expect(check()).rejects.toThrow('no thread');
  });
});

describe('the header of a login', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64');

  it.each<[string | undefined, ReturnType<typeof readBasicAuth>]>([
    [`Basic ${encode('alice:a:b')}`, { user: 'alice', password: 'a:b' }],
    [`basic ${encode('älice:ä')}`, { user: 'älice', password: 'ä' }],
    [`Basic ${encode(':')}`, { user: '', password: '' }],
    [`Basic ${encode('alice')}`, null],
    [`Bearer ${encode('alice:a')}`, null],
    ['Basic', null],
    ['Basic a b', null],
    [undefined, null],
  ])('is read as RFC 7617 says: %s', (header, login) => {
    expect(readBasicAuth(header)).toEqual(login);
  });
});

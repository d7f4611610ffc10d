import { expect, it } from 'vitest';
import { createPasswordCheck } from '../../../../src/expose/web-config/passwords.ts';

const hashes = new Map([
  ['alice', 'hash of a'],
  ['bob', 'hash of b'],
]);

/** Passwords whose comparisons end when the test says so. */
function start() {
  const compared: string[] = [];
  let end: (() => void) | undefined;
  const checked = createPasswordCheck((password, hash) => {
    compared.push(password);
    return new Promise((resolve) => {
      end = () => {
        resolve(`hash of ${password}` === hash);
      };
    });
  });
  const check = (username: string, password: string, address = '192.0.2.1') =>
    checked({ username, password }, address, hashes);
  /** Lets comparisons end, one after the other. */
  const endAll = async () => {
    await new Promise(setImmediate);
    while (end !== undefined) {
      end();
      end = undefined;
      await new Promise(setImmediate);
    }
  };
  return { check, compared, endAll };
}

it.each([
  ['alice', 'a', 'right'],
  ['alice', 'b', 'wrong'],
  ['bob', 'b', 'right'],
  ['carol', 'a', 'wrong'],
  ['__proto__', 'a', 'wrong'],
])('the password of %s is compared, and remembered if it is right: %s is %s', async (...login) => {
  const [user, password, verdict] = login;
  const { check, compared, endAll } = start();

  const first = check(user, password);
  await endAll();
  const second = check(user, password);
  await endAll();

  expect([await first, await second]).toEqual([verdict, verdict]);
  expect(compared).toHaveLength(verdict === 'right' ? 1 : 2);
});

it('a password is compared once for requests at the same time', async () => {
  const { check, compared, endAll } = start();

  const verdicts = [check('alice', 'a'), check('alice', 'a'), check('alice', 'a')];
  await endAll();

  for (const verdict of verdicts) expect(await verdict).toBe('right');
  expect(compared).toEqual(['a']);
});

it('a right password is compared again when the hash of the user has changed', async () => {
  const check = createPasswordCheck((password, hash) =>
    Promise.resolve(`hash of ${password}` === hash),
  );
  const login = { username: 'alice', password: 'a' };
  expect(await check(login, '', hashes)).toBe('right');

  expect(await check(login, '', new Map([['alice', 'hash of z']]))).toBe('wrong');
});

it('of more than 64 passwords that wait, one of the address that guessed most is refused', async () => {
  const { check, endAll } = start();
  const verdicts = Array.from({ length: 64 }, (_, i) => check('alice', `guess ${i}`, `a ${i}`));
  const further = [1, 2, 3].map((i) => check('alice', `more ${i}`, 'a 9'));

  expect(await Promise.race([...further, ...verdicts])).toBe('busy');
  const other = check('alice', 'a', 'other');
  await endAll();

  expect(await other).toBe('right');
});

it('a comparison that fails leaves its place to the next one', async () => {
  const check = createPasswordCheck(() => Promise.reject(new Error('no thread')));

  for (let i = 0; i < 100; i += 1) {
    const verdict = check({ username: 'alice', password: 'a' }, '', hashes);
    await expect(verdict).rejects.toThrow('no thread');
  }
});

/** The thread for passwords. It needs the built program. */
import { hashSync } from 'bcryptjs';
import { expect, it, onTestFinished } from 'vitest';
import { Bcrypt } from '../../../src/expose/web-config/bcrypt.ts';

const file = new URL('../../../dist/chunks/bcrypt-worker.js', import.meta.url);

function start(): Bcrypt {
  const bcrypt = new Bcrypt(file);
  onTestFinished(() => {
    bcrypt.close();
  });
  return bcrypt;
}

const hash = hashSync('right', 4);

it('compares passwords, several at a time', async () => {
  const bcrypt = start();

  const passwords = ['right', 'wrong', 'right', ''];

  expect(await Promise.all(passwords.map((each) => bcrypt.compare(each, hash)))).toEqual([
    ...[true, false, true, false],
  ]);
});

it('compares again at once after its end', async () => {
  const bcrypt = start();
  await bcrypt.compare('right', hash);

  bcrypt.close();

  expect(await bcrypt.compare('right', hash)).toBe(true);
});

it('rejects what a thread that fails was asked, and begins another', async () => {
  const bcrypt = start();

  const asked = [bcrypt.compare('right', null as never), bcrypt.compare('right', hash)];

  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
    ...['rejected', 'rejected'],
  ]);
  expect(await bcrypt.compare('right', hash)).toBe(true);
});

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

it('compares passwords, one after the other', async () => {
  const bcrypt = start();

  for (const password of ['right', 'wrong', 'right', '']) {
    expect(await bcrypt.compare(password, hash)).toBe(password === 'right');
  }
});

it('compares again at once after its end', async () => {
  const bcrypt = start();
  await bcrypt.compare('right', hash);

  bcrypt.close();

  expect(await bcrypt.compare('right', hash)).toBe(true);
});

it('rejects what a thread that fails was asked, and begins another', async () => {
  const bcrypt = start();

  await expect(bcrypt.compare('right', null as never)).rejects.toThrow();

  expect(await bcrypt.compare('right', hash)).toBe(true);
});

/** The thread for passwords. It needs the built program. */
import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';
import { compareInThread } from '../../../src/expose/web-config/bcrypt.ts';

const file = new URL('../../../dist/chunks/bcrypt-worker.js', import.meta.url);
const hash = hashSync('right', 4);

it('compares passwords, and rejects what it cannot compare', async () => {
  expect(await compareInThread('right', hash, file)).toBe(true);
  expect(await compareInThread('wrong', hash, file)).toBe(false);
  await expect(compareInThread('right', null as never, file)).rejects.toThrow();
});

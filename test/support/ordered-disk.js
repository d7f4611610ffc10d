/**
 * Loaded into a daemon with `--import`: calls on files under DISK_ROOT do what the file DISK_ORDERS says, while
 * there is one. `hang` keeps every call waiting until the order is gone; a code such as `EIO` lets calls that
 * write fail with it. It knows nothing of the program: every promise of node:fs is under orders.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { DISK_ROOT: root = '', DISK_ORDERS: orders = '' } = process.env;
const { existsSync, readFileSync } = fs;

const order = () => (existsSync(orders) ? readFileSync(orders, 'utf8') : '');
const wait = () => new Promise((resolve) => setTimeout(resolve, 20));

async function obey(call, path, writes) {
  while (order() === 'hang') await wait();
  const code = order();
  if (writes && code.startsWith('E')) {
    throw Object.assign(new Error(`${code}: as ordered, ${call} '${path}'`), { code });
  }
}

const isUnder = (path) => typeof path === 'string' && path.startsWith(root);
const writing = new Set(
  'appendFile copyFile link mkdir mkdtemp rename rm rmdir symlink truncate unlink writeFile'.split(
    ' ',
  ),
);
const handleWrites = new Set(
  'appendFile sync datasync truncate utimes write writeFile writev'.split(' '),
);

for (const [name, call] of Object.entries(fs.promises)) {
  if (typeof call !== 'function') continue;
  fs.promises[name] = async (path, ...rest) => {
    if (!isUnder(path)) return call(path, ...rest);
    const opensToWrite = name === 'open' && rest[0] !== undefined && rest[0] !== 'r';
    await obey(name, path, writing.has(name) || opensToWrite);
    const result = await call(path, ...rest);
    return name === 'open' ? underOrders(result, path) : result;
  };
}

function underOrders(handle, path) {
  for (const name of [...handleWrites, 'read', 'readFile', 'stat']) {
    const call = handle[name].bind(handle);
    handle[name] = async (...rest) => {
      await obey(name, path, handleWrites.has(name));
      return call(...rest);
    };
  }
  return handle;
}

syncBuiltinESMExports();

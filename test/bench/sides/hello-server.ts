/** The least that a server on node:http can be. It exits at SIGTERM, so that Node.js writes its compile cache. */
import { createServer } from 'node:http';
import { announce } from './side.ts';

process.once('SIGTERM', () => process.exit());
announce(
  createServer((_request, response) => {
    response.end('hello\n');
  }),
);

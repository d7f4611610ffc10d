/** The least that a server on node:http can be. */
import { createServer } from 'node:http';
import { announce } from './side.ts';

announce(
  createServer((_request, response) => {
    response.end('hello\n');
  }),
);

/**
 * Readers of a daemon. Argument: its URL. The message `come` begins 30 requests a second for pages and lists, until
 * `stop`. The message `leave` opens 3,000 connections that ask for a list and end at once; it is answered when all have.
 */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { announce, argument, reply } from './side.ts';

const { url } = argument() as { url: string };
const { hostname, port } = new URL(url);
const paths = ['/api/v1/quotas', '/', '/api/v1/targets', '/api/v1/quotas?format=csv'];
const perSecond = 30;
const leaving = 3_000;
const atOnce = 100;

let timer: NodeJS.Timeout | undefined;
let agent = new Agent();
let asked = 0;

function ask(): void {
  asked += 1;
  const encoding = asked % 2 === 0 ? 'gzip' : 'identity';
  const headers = { 'Accept-Encoding': encoding };
  get(`${url}${paths[asked % paths.length]}`, { agent, headers }, (response) => {
    response.on('error', () => undefined).resume();
  }).on('error', () => undefined);
}

async function leave(): Promise<void> {
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.once('connect', () => {
    socket.write('GET /api/v1/quotas HTTP/1.1\r\nHost: localhost\r\n\r\n', () => socket.destroy());
  });
  await once(socket, 'close');
}

reply(async (message) => {
  if (message === 'come') timer = setInterval(ask, 1_000 / perSecond);
  if (message === 'stop') {
    clearInterval(timer);
    agent.destroy();
    agent = new Agent();
  }
  if (message === 'leave') {
    for (let left = 0; left < leaving; left += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, leave));
    }
  }
});
announce();

/** The connection fails, at every stage from the first byte of the answer to the last. */
import { setInterval } from 'node:timers';
import { gateway, rule, type Fault } from './fault.ts';

/** As many as `max_attempts` of the world's configuration. */
const retried = 3;
const broken = { code: 'NetworkError', requests: retried };

/** Long enough for every other target on a busy machine. */
const impatient = { world: { api: { timeout: '1s', max_attempts: 1 } } };
const tooLate = { ...impatient, code: 'Timeout', requests: 1 };

export const connections: readonly Fault[] = [
  rule('no answer, ever', { effect: 'hang' }, tooLate),
  rule('an answer that comes too late', { effect: 'latency', latency: '20s' }, tooLate),
  gateway(
    'a body of one byte a second',
    (response, body) => {
      response.writeHead(200, { 'Content-Length': body.length });
      let sent = 0;
      const timer = setInterval(() => response.write(body[sent++] ?? ''), 1_000);
      response.on('close', () => {
        clearInterval(timer);
      });
      response.flushHeaders();
    },
    tooLate,
  ),
  rule('a reset before the answer', { effect: 'connection-reset' }, broken),
  gateway(
    'a reset within the headers',
    (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nContent-Le', () => {
        response.socket?.resetAndDestroy();
      });
    },
    broken,
  ),
  gateway(
    'a reset after the headers',
    (response, body) => {
      response.writeHead(200, { 'Content-Length': body.length });
      response.flushHeaders();
      response.socket?.write('', () => {
        response.socket?.resetAndDestroy();
      });
    },
    broken,
  ),
  gateway(
    'a reset within the body',
    (response, body) => {
      response.writeHead(200, { 'Content-Length': body.length });
      response.write(body.slice(0, 40), () => {
        response.socket?.resetAndDestroy();
      });
    },
    broken,
  ),
  rule('an end within the body', { effect: 'truncated-body' }, broken),
  gateway(
    'an end before the answer',
    (response) => {
      response.socket?.end();
    },
    broken,
  ),
  gateway(
    'something that is not HTTP',
    (response) => {
      response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n');
    },
    broken,
  ),
  gateway(
    'headers without end',
    (response) => {
      for (let i = 0; i < 2_000; i += 1) response.setHeader(`x-${i}`, 'y'.repeat(100));
      response.end();
    },
    broken,
  ),
];

/**
 * The least that could watch a service: undici asks, node:http answers with the last text. Argument:
 * the service's URL, how many requests a second, and how many in all. Answers a message when the last
 * one was sent.
 */
import { createServer } from 'node:http';
import { request } from 'undici';
import { announce, argument, reply } from './side.ts';

const { url, perSecond, requests } = argument() as {
  url: string;
  perSecond: number;
  requests: number;
};
let sent = 0;
let last = '';

const done = new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    for (let i = 0; i < perSecond && sent < requests; i += 1) {
      sent += 1;
      void request(`${url}/?Region=ap-guangzhou`)
        .then(({ body }) => body.text())
        .then((text) => {
          last = text;
        });
    }
    if (sent === requests) {
      clearInterval(timer);
      resolve();
    }
  }, 1_000);
});

reply(() => done);
announce(
  createServer((_request, response) => {
    response.end(last);
  }),
);

/** One address in front of several daemons, such as a Service of Kubernetes. Each request goes to the next daemon. */
import { request } from 'node:http';
import { listenLocally } from '../prometheus/local-server.ts';

/** @returns its `host:port` */
export async function startRoundRobin(urls: () => readonly string[]): Promise<string> {
  let turn = 0;
  return listenLocally((incoming, outgoing) => {
    const all = urls();
    turn += 1;
    const url = all[turn % all.length];
    if (url === undefined) {
      outgoing.writeHead(503).end();
      return;
    }
    const { headers } = incoming;
    const passed = request(new URL(incoming.url ?? '/', url), { headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    passed.end();
  });
}

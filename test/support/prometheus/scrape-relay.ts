/** A relay between Prometheus and the daemon. It records scrapes, and runs on when the daemon restarts. */
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listenLocally } from './local-server.ts';

/** One scrape that the daemon answered. */
export interface Scrape {
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** The number of samples in the exposition. */
  readonly samples: number;
}

export interface ScrapeRelay {
  /** `host:port`. It does not change during the test. */
  readonly address: string;
  /** The scrapes, oldest first. */
  readonly scrapes: readonly Scrape[];
  /** The address of the daemon. */
  daemonUrl: string;
}

/** Passes requests on unchanged. It breaks the connection when the daemon does. */
export async function startScrapeRelay(daemonUrl: string): Promise<ScrapeRelay> {
  const scrapes: Scrape[] = [];
  const address = await listenLocally((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const answer = await passOn(incoming, relayed.daemonUrl);
    const body = await buffer(answer);
    scrapes.push({
      accept: incoming.headers.accept,
      contentType: answer.headers['content-type'],
      samples: countSamples(
        answer.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
      ),
    });
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  };
  const relayed: ScrapeRelay = { address, scrapes, daemonUrl };
  return relayed;
}

function passOn(incoming: IncomingMessage, daemonUrl: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(new URL(incoming.url ?? '/', daemonUrl), { headers: incoming.headers }, resolve)
      .on('error', reject)
      .end();
  });
}

function countSamples(exposition: Buffer): number {
  return exposition
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')).length;
}

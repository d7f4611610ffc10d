/** A plain HTTP server instead of the service. A test decides its answers. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './prometheus/servers.ts';

export interface StubRequest {
  readonly method: string;
  /** The URL as received, with the query string. */
  readonly path: string;
  /** The decoded query, with the parameters that TC3 has in headers. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a GET request. */
  readonly body: Buffer;
  /** The number of earlier requests. */
  readonly index: number;
  /** Time of arrival, on the monotonic clock. */
  readonly arrivedAtMs: number;
}

export interface StubService {
  /** Its origin. */
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** The number of connections with a request. */
  readonly connections: () => number;
  /** The number of connections that the client closed before the end of an answer. */
  readonly brokenOff: () => number;
}

/** Listens on a free loopback port until the test has finished. `answer` must end the response. */
export async function startStubService(
  answer: (request: StubRequest, response: ServerResponse) => void,
): Promise<StubService> {
  const requests: StubRequest[] = [];
  const connections = new Set<unknown>();
  let brokenOff = 0;
  const answerTo = (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { method = '', url: path = '/' } = incoming;
    const request = {
      method,
      path,
      query: parametersOf(path, incoming.headers),
      body,
      headers: incoming.headers,
      index: requests.length,
      arrivedAtMs: performance.now(),
    };
    requests.push(request);
    response.on('close', () => {
      if (!response.writableFinished) brokenOff += 1;
    });
    answer(request, response);
  };
  const address = await listenLocally((incoming, response) => {
    connections.add(incoming.socket);
    if (incoming.method === 'GET') {
      answerTo(incoming, Buffer.alloc(0), response);
      return;
    }
    void buffer(incoming).then((body) => {
      answerTo(incoming, body, response);
    });
  });
  return {
    url: `http://${address}`,
    requests,
    connections: () => connections.size,
    brokenOff: () => brokenOff,
  };
}

const stubRequestId = '7f117776-3d20-4f00-839b-b22b04625f47';

/** Answers with success, as the service does. */
export function answerFields(response: ServerResponse, fields: object): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ Response: { ...fields, RequestId: stubRequestId } }));
}

/** Answers with an error of the service. */
export function answerError(response: ServerResponse, code: string, message = 'refused'): void {
  answerFields(response, { Error: { Code: code, Message: message } });
}

/** The parameters of a request. TC3 has the common ones in headers. */
function parametersOf(path: string, headers: IncomingHttpHeaders): Record<string, string> {
  const common = [
    ['Action', headers['x-tc-action']],
    ['Region', headers['x-tc-region']],
    ['SecretId', /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1]],
  ].filter((parameter): parameter is [string, string] => typeof parameter[1] === 'string');
  return Object.fromEntries([...new URL(path, 'http://stub').searchParams, ...common]);
}

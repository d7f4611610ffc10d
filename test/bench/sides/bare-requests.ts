/**
 * Requests with undici alone, ten at a time, by its fastest interface. Argument: the service's URL and how many
 * requests. Answers a message with the cost of one.
 */
import { Client, type Dispatcher } from 'undici';
import { announceReady, argument, atATime, calling, replyWithCost } from './side.ts';

const { url, requests } = argument() as { url: string; requests: number };
const clients = Array.from({ length: atATime }, () => new Client(url));
const options = { method: 'GET', path: '/?Region=ap-guangzhou' } as const;

async function send(): Promise<string> {
  const client = clients.pop();
  if (client === undefined) throw new Error('more requests than connections');
  try {
    return await new Promise<string>((resolve, reject) => {
      client.dispatch(options, answerHandler(resolve, reject));
    });
  } finally {
    clients.push(client);
  }
}

function answerHandler(
  resolve: (body: string) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  return {
    onRequestStart: () => undefined,
    onResponseData: (_, chunk) => void chunks.push(chunk),
    onResponseEnd: () => {
      resolve(Buffer.concat(chunks).toString());
    },
    onResponseError: (_, error) => {
      reject(error);
    },
  };
}

replyWithCost(requests, calling(requests, send));
announceReady();

/** A gateway between the daemon and the emulator. It changes the answers that a test selects. */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { startStubService, type StubRequest } from './stub-service.ts';

/** Answers instead of the service. `body` is the answer of the service. */
export type Replacement = (response: ServerResponse, body: string, request: StubRequest) => void;

export interface Gateway {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** What is answered to a request instead. `null` for the answer of the service. */
  replacementFor: (request: StubRequest) => Replacement | null;
}

/** Passes all requests to the emulator until the test sets `replacementFor`. It ends with the test. */
export async function startGateway(emulator: Emulator): Promise<Gateway> {
  const stub = await startStubService((request, response) => {
    const { path: target, ...received } = request;
    const { status, contentType, body } = emulator.handle({ target, ...received });
    const replacement = gateway.replacementFor(request) ?? answerWhole;
    response.setHeader('Content-Type', contentType);
    response.statusCode = status;
    replacement(response, body, request);
  });
  onTestFinished(stub.close);
  const gateway: Gateway = { url: stub.url, requests: stub.requests, replacementFor: () => null };
  return gateway;
}

const answerWhole: Replacement = (response, body) => {
  response.end(body);
};

/** The service's answer, with the fields under `Response` changed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function edited(edit: (fields: any) => void): Replacement {
  return (response, body) => {
    const answer = JSON.parse(body);
    edit(answer.Response);
    response.end(JSON.stringify(answer));
  };
}

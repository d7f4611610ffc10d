/** A gateway between the daemon and the emulator, which spoils the answers that a test picks. */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { startStubService, type StubRequest } from './stub-service.ts';

/** Answers in the service's place. `body` is what the service would have said. */
export type Spoil = (response: ServerResponse, body: string, request: StubRequest) => void;

export interface Gateway {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** What befalls a request; `null` for nothing. */
  spoilOf: (request: StubRequest) => Spoil | null;
}

/** Passes everything on to the emulator, until the test sets `spoilOf`; ends with the test. */
export async function startGateway(emulator: Emulator): Promise<Gateway> {
  const stub = await startStubService((request, response) => {
    const { path: target, headers } = request;
    const { status, contentType, body } = emulator.handle({ method: 'GET', target, headers });
    const spoil = gateway.spoilOf(request) ?? answerWhole;
    response.setHeader('Content-Type', contentType);
    response.statusCode = status;
    spoil(response, body, request);
  });
  onTestFinished(stub.close);
  const gateway: Gateway = { url: stub.url, requests: stub.requests, spoilOf: () => null };
  return gateway;
}

const answerWhole: Spoil = (response, body) => {
  response.end(body);
};

/** The service's answer, with the fields under `Response` changed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function edited(edit: (fields: any) => void): Spoil {
  return (response, body) => {
    const answer = JSON.parse(body);
    edit(answer.Response);
    response.end(JSON.stringify(answer));
  };
}

/** This text with status 200. */
export function instead(text: string): Spoil {
  return (response) => {
    response.end(text);
  };
}

/** A client of the service, and the stub that it asks; both are closed when the test has finished. */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { observedClient, type ClientOptions, type ObservedClient } from './api-client.ts';
import { quotasOf } from './sample-scenario.ts';
import { startStubService, type StubRequest, type StubService } from './stub-service.ts';

export async function stubbedClient(
  answer: (request: StubRequest, response: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
): Promise<{ service: StubService; client: ObservedClient }> {
  const service = await startStubService(answer);
  const client = observedClient(service.url, options);
  onTestFinished(async () => {
    await Promise.all([client.close(), service.close()]);
  });
  return { service, client };
}

export function answerQuota(response: ServerResponse, region = 'ap-guangzhou'): void {
  response.end(quotasOf(region));
}

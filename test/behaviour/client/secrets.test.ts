import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { signatureMethods } from '../../../src/api/request.ts';
import {
  fixedCredentials,
  observedClient,
  recognisable,
  unbounded,
} from '../../support/api-client.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { leaks } from '../../support/leaks.ts';
import { type StubRequest, answerError, startStubService } from '../../support/stub-service.ts';

/** What a request says of its sender, as a bad server would repeat it. */
const echo = ({ path, query, headers }: StubRequest) =>
  `${path} ${JSON.stringify(query)} ${JSON.stringify(headers)} ${recognisable.secretKey}`;

type Answer = (request: StubRequest, response: ServerResponse) => void;

it.each(
  signatureMethods.flatMap((method) =>
    Object.entries<Answer>({
      'an error that quotes the request': (request, response) => {
        answerError(response, 'InvalidParameter', echo(request));
      },
      'an error code that quotes the request': (request, response) => {
        answerError(response, echo(request));
      },
      'a RequestId that quotes the request': (request, response) => {
        const Error = { Code: 'InvalidParameter', Message: '' };
        response.end(JSON.stringify({ Response: { Error, RequestId: request.query.SecretId } }));
      },
      'text that quotes the request': (request, response) => {
        response.end(echo(request));
      },
      'fields that quote the request': (request, response) => {
        const quote = echo(request);
        response.end(JSON.stringify({ Response: { AccountQuotaOverview: quote, [quote]: quote } }));
      },
      'a redirect that quotes the request': (request, response) => {
        response.writeHead(302, { Location: request.path }).end(echo(request));
      },
      'bytes that are not HTTP': (request, response) => {
        response.socket?.end(echo(request));
      },
      'a half answer': (request, response) => {
        response.write(echo(request));
        response.socket?.destroySoon();
      },
      'a closed connection': (_request, response) => {
        response.destroy();
      },
      'no answer': () => undefined,
    }).map(([name, answer]) => [method, name, answer] as const),
  ),
)(
  'no error of a request with a %s signature holds a secret after %s',
  async (signature, _name, answer) => {
    const service = await startStubService(answer);
    const client = observedClient(service.url, {
      signature,
      credentials: fixedCredentials(),
      maxAttempts: 1,
      timeoutMs: 500,
    });
    onTestFinished(client.close);

    const error: unknown = await client
      .poll(quotaTarget('production', 'ap-guangzhou', { quotaTypes: ['postpaid'] }), unbounded())
      .catch((caught: unknown) => caught);

    expect(error).toHaveProperty('code');
    const everything =
      inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
    const { headers, query } = service.requests[0]!;
    const signed = query.Signature ?? headers.authorization?.split('Signature=')[1];
    expect(signed).toMatch(/^[\w+/=]{27,64}$/);
    expect(leaks(everything, [...Object.values(recognisable), signed!])).toEqual([]);
  },
);

/** Sends requests to an emulator in this process. They are unsigned by default. */
import type { Emulator } from '../../src/emulator/emulator.ts';

export interface Asked {
  readonly status: number;
  /** The error code. `null` for success. */
  readonly code: string | null;
  readonly message: string | null;
  readonly requestId: string;
  /** The fields of `Response`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly response: any;
}

type Values = Readonly<Record<string, string | number | boolean>>;

export const quotaQuery = {
  Action: 'DescribeAccountQuota',
  Version: '2017-03-12',
  Region: 'ap-guangzhou',
} as const;

export const versionsQuery = {
  Action: 'DescribeLaunchTemplateVersions',
  Version: '2017-03-12',
  Region: 'ap-guangzhou',
  LaunchTemplateId: 'lt-b8v1kcyq',
} as const;

/** Sends the parameters in the query string. */
export function ask(
  emulator: Emulator,
  parameters: Values,
  headers: Readonly<Record<string, string>> = {},
): Asked {
  return send(emulator, { query: queryOf(parameters), headers });
}

/** Sends any request. */
export function send(
  emulator: Emulator,
  request: {
    readonly method?: string;
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Asked {
  const reply = emulator.handle({
    method: request.method ?? 'GET',
    target: `/?${request.query ?? ''}`,
    headers: { host: 'cvm.tencentcloudapi.com', ...request.headers },
    body: new TextEncoder().encode(request.body ?? ''),
  });
  return askedOf(reply.status, reply.body);
}

/** The parameters as a query string, percent-encoded. */
export function queryOf(parameters: Values): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** Reads the envelope of an answer. */
export function askedOf(status: number, body: string): Asked {
  const { Response: response } = JSON.parse(body);
  const { Code: code = null, Message: message = null } = response.Error ?? {};
  return { status, code, message, requestId: response.RequestId, response };
}

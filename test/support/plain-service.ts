/** A service that is written only from docs/service.md. Parts that the page leaves open are absent. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { startStubService, type StubRequest } from './stub-service.ts';

/** Quota sets of a region, as the `AccountQuota` of section 5.3. */
export type AccountQuota = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

export interface PlainService {
  readonly url: string;
  /** Quotas by region. */
  readonly quotas: Map<string, AccountQuota>;
  /** Versions by template ID. */
  readonly templates: Map<string, { versions: readonly number[]; defaultVersion: number }>;
  /** Regions with a faulty gateway: 502 and HTML. */
  readonly broken: Set<string>;
}

type State = Omit<PlainService, 'url'>;

/** Listens until the test has finished. */
export async function startPlainService(): Promise<PlainService> {
  const state: State = { quotas: new Map(), templates: new Map(), broken: new Set() };
  const stub = await startStubService(({ query }, response) => {
    if (state.broken.has(query.Region ?? '')) {
      response.writeHead(502, { 'Content-Type': 'text/html' });
      response.end('<html><body><h1>502 Bad Gateway</h1></body></html>');
    } else {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ Response: answer(state, query) }));
    }
  });
  onTestFinished(stub.close);
  return { ...state, url: stub.url };
}

type Query = StubRequest['query'];

function answer(state: State, query: Query) {
  const result =
    query.Action === 'DescribeAccountQuota'
      ? accountQuota(state, query)
      : launchTemplateVersions(state, query);
  return { ...result, RequestId: randomUUID() };
}

function accountQuota(state: State, query: Query) {
  const region = query.Region ?? '';
  const AccountQuota = state.quotas.get(region) ?? {};
  return { AppId: 251007416, AccountQuotaOverview: { Region: region, AccountQuota } };
}

function launchTemplateVersions(state: State, query: Query) {
  const id = query.LaunchTemplateId ?? '';
  const { versions, defaultVersion } = state.templates.get(id)!;
  const number = (name: string, absent: number) => Number(query[name] ?? absent);
  const selected = versions.filter(
    (version) => version >= number('MinVersion', 0) && version <= number('MaxVersion', 30),
  );
  const offset = number('Offset', 0);
  return {
    TotalCount: selected.length,
    LaunchTemplateVersionSet: selected
      .slice(offset, offset + number('Limit', 20))
      .map((version) => ({
        LaunchTemplateVersion: version,
        LaunchTemplateVersionData: { ImageId: 'img-8toqc6s3', InstanceType: 'S5.16XLARGE256' },
        CreationTime: '2020-12-17T01:54:31Z',
        LaunchTemplateId: id,
        IsDefaultVersion: version === defaultVersion,
        LaunchTemplateVersionDescription: '',
        CreatedBy: '251009920',
      })),
  };
}

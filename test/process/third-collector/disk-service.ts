/** The service, with one operation more than it has. */
import type { ServerResponse } from 'node:http';
import { answerError, answerFields, startStubService } from '../../support/stub-service.ts';

/** What DescribeDiskQuota answers for a type. */
export interface Disks {
  Used: number;
  Limit: number;
  Encrypted: boolean;
}

export interface DiskService {
  readonly url: string;
  /** The parameters of each request for disks. */
  readonly diskRequests: () => readonly Readonly<Record<string, string>>[];
}

/**
 * Answers DescribeDiskQuota with `disks`, which a test may change at any time, by disk type.
 *
 * @param upstream the origin that answers every other operation
 */
export async function startDiskService(
  disks: Readonly<Record<string, Disks>>,
  upstream?: string,
): Promise<DiskService> {
  const isOfDisks = (query: Readonly<Record<string, string>>) =>
    query.Action === 'DescribeDiskQuota';
  const service = await startStubService(({ path, query }, response) => {
    if (!isOfDisks(query)) {
      void passOn(`${upstream ?? ''}${path}`, response);
      return;
    }
    const found = disks[query.DiskType ?? ''];
    if (found === undefined) answerError(response, 'InvalidParameterValue');
    else answerFields(response, found);
  });
  return {
    url: service.url,
    diskRequests: () => service.requests.map(({ query }) => query).filter(isOfDisks),
  };
}

async function passOn(url: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(url);
  response.setHeader('Content-Type', 'application/json');
  response.end(await answer.text());
}

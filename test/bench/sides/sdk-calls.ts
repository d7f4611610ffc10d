/**
 * Bare calls with the official SDK, ten at a time. Argument: the service's URL and how many calls.
 * Answers a message with the cost of one.
 */
import { createRequire } from 'node:module';
import { keys } from './credential-variables.ts';
import { announceReady, argument, calling, replyWithCost } from './side.ts';

const { url, calls } = argument() as { url: string; calls: number };

interface CvmClient {
  DescribeAccountQuota(request: object): Promise<unknown>;
}
const { cvm } = createRequire(import.meta.url)('tencentcloud-sdk-nodejs-cvm') as {
  cvm: { v20170312: { Client: new (options: object) => CvmClient } };
};
const client = new cvm.v20170312.Client({
  credential: keys,
  region: 'ap-guangzhou',
  profile: {
    signMethod: 'HmacSHA256',
    httpProfile: { protocol: 'http://', endpoint: new URL(url).host, reqMethod: 'GET' },
  },
});

replyWithCost(
  calls,
  calling(calls, () => client.DescribeAccountQuota({})),
);
announceReady();

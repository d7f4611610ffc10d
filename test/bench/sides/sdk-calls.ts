/**
 * Bare calls with the official SDK, ten at a time. Argument: the service's URL. Answers a number of calls with the
 * CPU time of one, in milliseconds.
 */
import { createRequire } from 'node:module';
import { announce, argument, cpuMs, reply } from './side.ts';

interface CvmClient {
  DescribeAccountQuota(request: object): Promise<unknown>;
}
const { cvm } = createRequire(import.meta.url)('tencentcloud-sdk-nodejs-cvm') as {
  cvm: { v20170312: { Client: new (options: object) => CvmClient } };
};
const client = new cvm.v20170312.Client({
  credential: { secretId: 'AKIDEXAMPLE', secretKey: 'EXAMPLE' },
  region: 'ap-guangzhou',
  profile: {
    httpProfile: {
      protocol: 'http://',
      endpoint: new URL((argument() as { url: string }).url).host,
    },
  },
});

reply(async (calls) => {
  const before = cpuMs();
  let left = Number(calls);
  const callRest = async () => {
    while (left > 0) {
      left -= 1;
      await client.DescribeAccountQuota({});
    }
  };
  await Promise.all(Array.from({ length: 10 }, callRest));
  return (cpuMs() - before) / Number(calls);
});
announce();

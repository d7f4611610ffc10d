/** The official SDK, unmodified, against the emulator. */
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { describeClient, type ClientAdapter } from './client-contract.ts';

const signMethods = ['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const;
const httpMethods = ['GET', 'POST'] as const;

function officialSdk(
  signMethod: (typeof signMethods)[number],
  reqMethod: (typeof httpMethods)[number],
): ClientAdapter {
  return {
    name: `the official SDK, ${signMethod}, ${reqMethod}`,
    call: async ({ url, region, secretId, secretKey }, operation, parameters) => {
      const client = new cvm.v20170312.Client({
        credential: { secretId, secretKey },
        region,
        profile: {
          signMethod,
          httpProfile: { protocol: 'http://', endpoint: url.replace('http://', ''), reqMethod },
        },
      });
      try {
        return { ok: true, response: await client.request(operation, parameters) };
      } catch (error) {
        const { code, requestId } = error as { code: string; requestId: string };
        return { ok: false, code, requestId };
      }
    },
  };
}

for (const signMethod of signMethods) {
  for (const httpMethod of httpMethods) describeClient(officialSdk(signMethod, httpMethod));
}

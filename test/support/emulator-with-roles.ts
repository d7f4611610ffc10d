/** An emulator with two accounts whose roles trust others, and clients of the official SDK for it. */
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { sts } from 'tencentcloud-sdk-nodejs-sts';
import { afterEach, beforeEach } from 'vitest';
import {
  createManualClock,
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../src/emulator/emulator.ts';
import { fixtureOf } from './rows.ts';

export interface SdkCredential {
  readonly secretId: string;
  readonly secretKey: string;
  readonly token?: string;
}

const scenario = fixtureOf<ScenarioInput>('scenario/roles');

export const monitorRole = 'qcs::cam::uin/100000000002:roleName/monitor';
export const assumeRole = {
  RoleArn: monitorRole,
  RoleSessionName: 'session',
  ExternalId: 'external',
};

export const keyOf = (name: string) => ({ secretId: `${name}-id`, secretKey: `${name}-key` });

/** The code of the error of a call; `null` if it succeeds. */
export const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );

/** Each test of the file gets an emulator of its own. */
export function emulatorWithRoles() {
  let emulator: RunningEmulator;
  const clock = createManualClock();
  beforeEach(async () => {
    emulator = await startEmulator({ scenario, clock });
  });
  afterEach(() => emulator.close());
  const httpProfile = (reqMethod: 'GET' | 'POST' = 'POST') => ({
    protocol: 'http://',
    endpoint: emulator.url.replace('http://', ''),
    reqMethod,
  });

  function stsClient(
    credential: SdkCredential = keyOf('central'),
    signMethod: 'TC3-HMAC-SHA256' | 'HmacSHA256' = 'TC3-HMAC-SHA256',
    reqMethod: 'GET' | 'POST' = 'POST',
  ) {
    return new sts.v20180813.Client({
      credential,
      region: 'ap-guangzhou',
      profile: { signMethod, httpProfile: httpProfile(reqMethod) },
    });
  }

  function cvmClient(credential: SdkCredential) {
    return new cvm.v20170312.Client({
      credential,
      region: 'ap-guangzhou',
      profile: { httpProfile: httpProfile() },
    });
  }

  async function session(seconds = 7_200): Promise<SdkCredential> {
    const { Credentials } = await stsClient().AssumeRole({
      ...assumeRole,
      DurationSeconds: seconds,
    });
    const { TmpSecretId = '', TmpSecretKey = '', Token = '' } = Credentials ?? {};
    return { secretId: TmpSecretId, secretKey: TmpSecretKey, token: Token };
  }
  return { emulator: () => emulator, clock, httpProfile, stsClient, cvmClient, session };
}

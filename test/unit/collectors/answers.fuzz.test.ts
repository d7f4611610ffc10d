import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { selectionOf } from '../../../src/collectors/selection.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { PollAnswer } from '../../../src/model/poll-outcome.ts';
import { hourMs, type Target } from '../../../src/model/target.ts';
import { formatRecord, parseRecord } from '../../../src/storage/record-file.ts';
import {
  observedClient,
  quotaTarget,
  templateTarget,
  unbounded,
} from '../../support/api-client.ts';
import { templateListTarget } from '../../support/fake-monitor.ts';
import { fuzz, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { InProcessTransport } from '../../support/in-process-transport.ts';
import { arbitraryText, mutatedJson, mutatedText } from '../../support/mutations.ts';
import { advance, asStored, newRecord } from '../../support/records.ts';
import { quotaSample, versionsSample } from '../../support/sample-scenario.ts';
import { expectServed } from '../../support/served.ts';

/** Bytes, texts and JSON, most of them almost one of the answers. */
const almost = (...answers: readonly string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: arbitraryText },
    { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
    { weight: 1, arbitrary: fc.nat(100_000).map((depth) => '[{"Response":'.repeat(depth)) },
    {
      weight: 5,
      arbitrary: mutatedText(answers, [
        ...['{', '}', '[', ']', '"', ',', ':', '\\', '\\u', '\ud800'],
        ...['null', '-', 'e', '1e400', '\0'],
      ]),
    },
    { weight: 15, arbitrary: mutatedJson(answers.map((text) => JSON.parse(text) as unknown)) },
  );

it.each<[string, Target]>([
  ['DescribeAccountQuota', quotaTarget()],
  ['DescribeRegions', collectors.regionDiscovery!.target('production')],
  ['DescribeLaunchTemplates', templateListTarget('production', 'ap-guangzhou')],
  ['DescribeLaunchTemplateVersions', templateTarget],
  [
    'DescribeZoneInstanceConfigInfos',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'DescribeZoneInstanceConfigInfos',
      needs: [{ instanceType: 'S5.LARGE8', chargeType: 'spotpaid', zone: null }],
      launches: [],
      isInternational: false,
    } as Target,
  ],
  [
    'DescribeSubnets',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'DescribeSubnets',
      ids: ['subnet-a', 'subnet-b'],
    } as Target,
  ],
  [
    'DescribeAutoScalingGroups',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'DescribeAutoScalingGroups',
      ids: ['asg-12wjuh0s', 'asg-2n5kfj3q'],
      selection: selectionOf('all'),
    } as Target,
  ],
  [
    'DescribeLaunchConfigurations',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'DescribeLaunchConfigurations',
      ids: ['asc-ouy1ax38'],
    } as Target,
  ],
  [
    'DescribeDiskConfigQuota',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'DescribeDiskConfigQuota',
      needs: [
        {
          ...{ type: 'CLOUD_BSSD', usage: 'SYSTEM_DISK', family: 'S5' },
          ...{ chargeType: 'postpaid', zone: 'ap-guangzhou-3' },
        },
      ],
    } as Target,
  ],
  [
    'InquiryPriceRunInstances',
    {
      ...{ account: 'production', region: 'ap-guangzhou' },
      operation: 'InquiryPriceRunInstances',
      resource: { template_id: 'lt-b8v1kcyq' },
      options: [{ version: 5, zone: 'ap-guangzhou-3', imageId: 'img-8toqc6s3' }],
      intervalMs: hourMs,
    } as Target,
  ],
])(
  'an answer of any bytes to %s is read, and can be stored and served, or fails with a code',
  async (_operation, target) => {
    const bodies = almost(
      quotaSample,
      versionsSample,
      JSON.stringify({
        Response: {
          TotalCount: 3,
          LaunchTemplateSet: [
            {},
            {
              LaunchTemplateId: 'lt-b8v1kcyq',
              LaunchTemplateName: '"模板"',
              DefaultVersionNumber: 1,
            },
            { LaunchTemplateId: 'lt-2', LatestVersionNumber: 12, LaunchTemplateVersionCount: 8 },
          ],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          TotalCount: 2,
          RegionSet: [{ Region: 'ap-seoul', RegionState: 'AVAILABLE' }, {}],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          InstanceTypeQuotaSet: [
            { Zone: 'ap-guangzhou-3', InstanceType: 'S5.LARGE8', InstanceChargeType: 'SPOTPAID' },
            {
              Zone: 'ap-guangzhou-3',
              InstanceType: 'S5.LARGE8',
              InstanceChargeType: 'SPOTPAID',
              Status: 'SELL',
              StatusCategory: 'EnoughStock',
              Cpu: 2,
            },
          ],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          TotalCount: 1,
          SubnetSet: [
            {
              SubnetId: 'subnet-a',
              Zone: 'ap-guangzhou-3',
              AvailableIpAddressCount: 3,
              TotalIpAddressCount: 9,
              Ipv6CidrBlock: '',
            },
          ],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          TotalCount: 2,
          AutoScalingGroupSet: [
            {
              ...{ AutoScalingGroupId: 'asg-12wjuh0s', AutoScalingGroupName: '"组"' },
              ...{ AutoScalingGroupStatus: 'NORMAL', EnabledStatus: 'ENABLED' },
              ...{ MinSize: 0, MaxSize: 9, DesiredCapacity: 3, InstanceCount: 2 },
              LaunchConfigurationId: 'asc-ouy1ax38',
              ...{ SubnetIdSet: ['subnet-a'], ZoneSet: ['ap-guangzhou-3'] },
              InstanceAllocationPolicy: 'SPOT_MIXED',
              SpotMixedAllocationPolicy: {
                ...{ BaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 50 },
                CompensateWithBaseInstance: false,
              },
            },
            { AutoScalingGroupId: 'asg-2n5kfj3q' },
          ],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          TotalCount: 1,
          LaunchConfigurationSet: [
            {
              LaunchConfigurationId: 'asc-ouy1ax38',
              LaunchConfigurationStatus: 'NORMAL',
              ...{ InstanceTypes: ['S5.LARGE8'], InstanceChargeType: 'SPOTPAID' },
              ...{ DiskTypePolicy: 'ORIGINAL', SystemDisk: { DiskType: 'CLOUD_BSSD' } },
              ...{ DataDisks: [{ DiskType: null }], DisasterRecoverGroupIds: ['ps-a'] },
            },
          ],
          RequestId: 'r',
        },
      }),
      JSON.stringify({
        Response: {
          DiskConfigSet: [
            {
              ...{ Available: true, Zone: 'ap-guangzhou-3', InstanceFamily: 'S5' },
              ...{ DiskType: 'CLOUD_BSSD', DiskUsage: 'SYSTEM_DISK' },
              DiskChargeType: 'POSTPAID_BY_HOUR',
            },
          ],
          RequestId: 'r',
        },
      }),
      '{"Response":{"Price":{"InstancePrice":{"UnitPrice":0.1}},"RequestId":"r"}}',
      '{"Response":{"Error":{"Code":"InvalidImageId.NotFound","Message":"m"},"RequestId":"r"}}',
      '{"Response":{"Error":{"Code":"InternalError","Message":"m"},"RequestId":"r"}}',
    );
    let answer: string | Buffer = '';
    // One for all polls: each client would keep the rate of its own.
    const client = observedClient('http://service', {
      transport: new InProcessTransport(() => answer),
      maxAttempts: 1,
      requestsPerSecond: 1_000_000,
    });
    await fuzz(bodies, 6_000, async (body) => {
      answer = body;
      let polled: PollAnswer;
      try {
        polled = await client.poll(target, unbounded());
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        expect(error.code).toMatch(/^[A-Z][A-Za-z0-9.]{0,63}$/);
        expect(error.message).toMatch(/^[^\p{Cc}]{1,400}$/u);
        return;
      }
      const { record } = advance(newRecord(target), { ok: true, ...polled, durationMs: 1 }, 1);
      expect(parseRecord(formatRecord(record), collectors, 'a.json')).toEqual(asStored(record));
      await expectServed(record);
    });
  },
  fuzzTimeoutMs,
);

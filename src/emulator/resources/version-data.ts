/** The instance configuration that a version holds (docs/service.md, section 6.4). */
import { z } from 'zod';

const disk = z.looseObject({ DiskSize: z.int().nullish(), DiskType: z.string().nullish() });
const enabled = z.looseObject({ Enabled: z.boolean().nullish() });

/** Known fields have their types checked or are null; further ones are passed through as they are. */
export const versionDataSchema = z
  .looseObject({
    VirtualPrivateCloud: z
      .looseObject({
        SubnetId: z.string().nullish(),
        AsVpcGateway: z.boolean().nullish(),
        Ipv6AddressCount: z.int().nullish(),
        VpcId: z.string().nullish(),
      })
      .nullish(),
    InstanceCount: z.int().nullish(),
    Placement: z
      .looseObject({ ProjectId: z.int().nullish(), Zone: z.string().nullish() })
      .nullish(),
    SystemDisk: disk.nullish(),
    ImageId: z.string().nullish(),
    InstanceChargeType: z.string().nullish(),
    EnhancedService: z
      .looseObject({ SecurityService: enabled.nullish(), MonitorService: enabled.nullish() })
      .nullish(),
    SecurityGroupIds: z.array(z.string()).nullish(),
    InternetAccessible: z
      .looseObject({
        PublicIpAssigned: z.boolean().nullish(),
        InternetChargeType: z.string().nullish(),
        InternetMaxBandwidthOut: z.int().nullish(),
      })
      .nullish(),
    InstanceName: z.string().nullish(),
    InstanceType: z.string().nullish(),
    DataDisks: z
      .array(
        disk.extend({
          Encrypt: z.boolean().nullish(),
          DeleteWithInstance: z.boolean().nullish(),
          KmsKeyId: z.string().nullish(),
        }),
      )
      .nullish(),
  })
  .meta({ id: 'VersionData' });

export type VersionData = z.output<typeof versionDataSchema>;

/** What a version holds where the scenario says nothing else: every field of docs/service.md, section 6.4. */
export function defaultVersionData(zone: string): VersionData {
  return {
    VirtualPrivateCloud: {
      SubnetId: 'subnet-he88kvqu',
      AsVpcGateway: false,
      Ipv6AddressCount: 0,
      VpcId: 'vpc-dcteo7jd',
    },
    InstanceCount: 1,
    Placement: { ProjectId: 0, Zone: zone },
    SystemDisk: { DiskSize: 50, DiskType: 'CLOUD_PREMIUM' },
    ImageId: 'img-8toqc6s3',
    InstanceChargeType: 'POSTPAID_BY_HOUR',
    EnhancedService: { SecurityService: { Enabled: true }, MonitorService: { Enabled: true } },
    SecurityGroupIds: ['sg-rf6ogz49'],
    InternetAccessible: {
      PublicIpAssigned: true,
      InternetChargeType: 'TRAFFIC_POSTPAID_BY_HOUR',
      InternetMaxBandwidthOut: 100,
    },
    InstanceName: 'lt_test',
    InstanceType: 'S5.16XLARGE256',
    DataDisks: [
      {
        Encrypt: false,
        DeleteWithInstance: true,
        KmsKeyId: '',
        DiskSize: 50,
        DiskType: 'CLOUD_PREMIUM',
      },
    ],
  };
}

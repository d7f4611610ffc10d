/** The instance configuration that a version holds (service.md, section 2.2; service-facts.md, section 6). */
import { z } from 'zod';

const disk = z.looseObject({ DiskSize: z.int().optional(), DiskType: z.string().optional() });
const enabled = z.looseObject({ Enabled: z.boolean().optional() });

/** Known fields have their types checked; further ones are passed through as they are. */
export const versionDataSchema = z
  .looseObject({
    VirtualPrivateCloud: z
      .looseObject({
        SubnetId: z.string().optional(),
        AsVpcGateway: z.boolean().optional(),
        Ipv6AddressCount: z.int().optional(),
        VpcId: z.string().optional(),
      })
      .optional(),
    InstanceCount: z.int().optional(),
    Placement: z
      .looseObject({ ProjectId: z.int().optional(), Zone: z.string().optional() })
      .optional(),
    SystemDisk: disk.optional(),
    ImageId: z.string().optional(),
    InstanceChargeType: z.string().optional(),
    EnhancedService: z
      .looseObject({ SecurityService: enabled.optional(), MonitorService: enabled.optional() })
      .optional(),
    SecurityGroupIds: z.array(z.string()).optional(),
    InternetAccessible: z
      .looseObject({
        PublicIpAssigned: z.boolean().optional(),
        InternetChargeType: z.string().optional(),
        InternetMaxBandwidthOut: z.int().optional(),
      })
      .optional(),
    InstanceName: z.string().optional(),
    InstanceType: z.string().optional(),
    DataDisks: z
      .array(
        disk.extend({
          Encrypt: z.boolean().optional(),
          DeleteWithInstance: z.boolean().optional(),
          KmsKeyId: z.string().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'LaunchTemplateVersionData' });

export type VersionData = z.output<typeof versionDataSchema>;

/** What a version holds where the scenario says nothing else: every field of service.md, section 2.2. */
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

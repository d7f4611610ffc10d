import type { LaunchTemplateSnapshot } from './record.ts';

/** A launch template in the JSON interface. */
export function launchTemplateJson({ defaultVersion, versions }: LaunchTemplateSnapshot) {
  return {
    versions,
    default_version: defaultVersion && {
      version: defaultVersion.version,
      image_id: defaultVersion.imageId,
      instance_type: defaultVersion.instanceType,
      charge_type: defaultVersion.chargeType,
    },
  };
}

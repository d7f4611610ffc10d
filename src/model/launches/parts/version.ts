/** The default version of the template of a launch. */
import { bounded, free, unknown, type LaunchPart } from './part.ts';

/** RunInstances refuses more instances. */
export const maxInstances = 500;

/** Until somebody changes the version, no launch of it succeeds. */
const refusals = `
  InvalidImageId.* InvalidParameterValue.InvalidImage* InvalidParameterValue.RequiredLocationImage
  InvalidParameterValue.InstanceTypeNotFound InvalidParameterValue.InstanceTypeNotSupportHpcCluster
  InvalidParameterValue.InstanceTypeRequiredHpcCluster InvalidParameterValue.SnapshotIdMalformed
  InvalidParameterValue.CloudSsdDataDiskSizeTooSmall InvalidParameterValue.DuplicateTags
  InvalidParameterValue.TagKeyNotFound InvalidParameterValue.TagQuotaLimitExceeded
  InvalidParameterValue.ZoneNotSupported InvalidParameterValue.BandwidthPackage*
  InvalidParameterValue.InvalidUserDataFormat InvalidInstanceType.Malformed
  InvalidParameter.InstanceImageNotSupport InvalidParameter.SnapshotNotFound
  InvalidParameter.InternetAccessibleNotSupported InvalidParameterCombination InvalidPassword
  InvalidProjectId.NotFound FailedOperation.DisasterRecoverGroupNotFound
  FailedOperation.SnapshotSizeLargerThanDataSize FailedOperation.IllegalTagKey
  FailedOperation.IllegalTagValue FailedOperation.TagKeyReserved ResourceNotFound.HpcCluster
  ResourceNotFound.NoDefaultCbs ResourceNotFound.NoDefaultCbsWithReason UnsupportedOperation.InvalidDisk
  UnsupportedOperation.InvalidRegionDiskEncrypt UnsupportedOperation.SpotUnsupportedRegion
  AuthFailure.CamRoleNameAuthenticateFailed
`;

export const versionPart: LaunchPart<'refused'> = {
  name: 'version',
  operation: 'DescribeLaunchTemplateVersions',
  holds:
    'of a template only. It sets no bound, but a version for more than 500 instances is refused by RunInstances, and holds 500',
  reasons: {
    refused: {
      remedy: 'make a default version with a lower InstanceCount.',
      codes: refusals.trim().split(/\s+/),
    },
  },
  judge: ({ count, isVersionKnown, templateId }) => {
    if (templateId === '') return null;
    if (!isVersionKnown || count === null) return unknown;
    return count > maxInstances ? bounded(maxInstances, 'refused', { count }) : free;
  },
  text: ({ roomFor }, { version }, room) => {
    const most = `at most ${room} instances in one launch`;
    return `version ${version ?? ''}: ${roomFor === null ? 'sets no bound' : most}`;
  },
};

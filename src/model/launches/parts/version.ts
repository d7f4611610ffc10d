/** The part `version` of a launch: whether the service prices the version of its template, and how many one launch may start. */
import { bounded, free, unknown, type LaunchPart } from './part.ts';
import { severityOf } from './stock.ts';

/** RunInstances refuses more instances. */
export const maxInstances = 500;

/** The codes with which each launch of the version fails, until another version becomes the default. */
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

export const versionPart: LaunchPart = {
  name: 'version',
  operation: 'DescribeLaunchTemplateVersions',
  holds:
    'of a template only. 0 while InquiryPriceRunInstances refuses to price the version there; at most the 500 instances that RunInstances takes; else no bound',
  reasons: {
    refused: {
      remedy:
        'make another version the default: without what the code names, or with a lower InstanceCount.',
      codes: refusals.trim().split(/\s+/),
    },
  },
  judge: (option, { notPermitted, prices, stock }) => {
    const { count, isVersionKnown, templateId, version, zone } = option;
    if (templateId === '') return null;
    if (!isVersionKnown) return unknown;
    const isAsked = !notPermitted.has('InquiryPriceRunInstances');
    const answers = isAsked ? prices.get(templateId) : undefined;
    const answer = answers?.find((each) => each.version === version && each.zone === zone);
    // While the stock is unknown, a quota may place the launch in a zone that is not asked about yet.
    const isYetToAsk = answers !== undefined && stock === null && Boolean(zone);
    const { code: detail = null, reason = null } = answer ?? {};
    if (detail !== null && reason !== null) {
      return { ...bounded(0, reason, option), severity: severityOf(reason, option, stock), detail };
    }
    if (count !== null && count > maxInstances) return bounded(maxInstances, 'refused', option);
    if (count === null || answer?.atMs === null) return unknown;
    if (answer === undefined) return isYetToAsk ? unknown : free;
    const time = new Date(answer.atMs).toISOString();
    return { ...free, pricedAt: `${time.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z` };
  },
  text: ({ detail, pricedAt, roomFor }, { version }, room, { say }) => {
    const what = say('version {version}', { version: String(version ?? '') });
    if (roomFor === 0) return say('{what}: refused with {code}', { what, code: detail });
    if (roomFor !== null)
      return say('{what}: at most {room} instances in one launch', { what, room });
    const unbounded = say('{what}: sets no bound', { what });
    if (pricedAt === undefined) return unbounded;
    return `${unbounded}${say(', ')}${say('priced {time}', { time: pricedAt })}`;
  },
};

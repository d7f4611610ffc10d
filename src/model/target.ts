/** The operations of the service that are polled (service.md, section 4). */
export type Operation = 'DescribeAccountQuota' | 'DescribeLaunchTemplateVersions';

export const quotaTypes = [
  'postpaid',
  'prepaid',
  'spotpaid',
  'disaster_recover_group',
  'image',
] as const;
/** A kind of quota, in our words; each is one set of the service's AccountQuota. */
export type QuotaType = (typeof quotaTypes)[number];

/** Which part of a region's quotas is watched. */
export interface QuotaSelection {
  /** At least one; in the order of {@link quotaTypes}. */
  readonly quotaTypes: readonly QuotaType[];
  /** `null` for every zone; applies to the quota types that the service counts by zone. */
  readonly zones: readonly string[] | null;
}

interface TargetPlace {
  /** The configured name of the account, the `account` label. */
  readonly account: string;
  readonly region: string;
}

export interface QuotaTarget extends TargetPlace {
  readonly operation: 'DescribeAccountQuota';
  readonly selection: QuotaSelection;
}

export interface LaunchTemplateTarget extends TargetPlace {
  readonly operation: 'DescribeLaunchTemplateVersions';
  readonly templateId: string;
}

/** What one poll asks. */
export type Target = QuotaTarget | LaunchTemplateTarget;

/** The template's ID, or an empty string for a target that has none: the `template_id` label. */
export function templateIdOf(target: Target): string {
  return target.operation === 'DescribeLaunchTemplateVersions' ? target.templateId : '';
}

/**
 * A target's identity, independent of what is selected of it. Account, region and template ID are
 * restricted by the configuration to `[A-Za-z0-9._-]`, so that no two targets share a key and a key
 * is a safe file name.
 */
export function targetKey(target: Target): string {
  const parts = [target.account, target.region, target.operation];
  const templateId = templateIdOf(target);
  return (templateId === '' ? parts : [...parts, templateId]).join('@');
}

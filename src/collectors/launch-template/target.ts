import type { Target } from '../../model/target.ts';

export const launchTemplateOperation = 'DescribeLaunchTemplateVersions';

export interface LaunchTemplateTarget extends Target {
  readonly operation: typeof launchTemplateOperation;
  readonly resource: { readonly template_id: string };
}

import type { Target } from '../../model/target.ts';

export const launchTemplateOperation = 'DescribeLaunchTemplateVersions';

/** What DescribeLaunchTemplates says about a template. A number is `null` when it cannot be read. */
export interface ListedTemplate {
  /** Printable. Empty when the answer has none. */
  readonly name: string;
  readonly defaultVersion: number | null;
  readonly latestVersion: number | null;
  /** The number of versions. */
  readonly versions: number | null;
}

export interface LaunchTemplateTarget extends Target {
  readonly operation: typeof launchTemplateOperation;
  readonly resource: { readonly template_id: string };
  /**
   * What the last list says about a template that discovery found. `null` when the template may be in a row
   * that cannot be read. Absent for a template that the configuration names.
   */
  readonly listed?: ListedTemplate | null | undefined;
}

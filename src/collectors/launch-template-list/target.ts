import type { Target } from '../../model/target.ts';

export const launchTemplateListOperation = 'DescribeLaunchTemplates';

/** The templates that discovery watches. */
export interface TemplateSelection {
  /** Patterns, of which a name must match one. `null` for every name. */
  readonly names: readonly string[] | null;
  /** Tags that a template must have, all of them. */
  readonly tags: Readonly<Record<string, string>>;
}

export interface LaunchTemplateListTarget extends Target {
  readonly operation: typeof launchTemplateListOperation;
  readonly selection: TemplateSelection;
  /** Maximum number of watched templates. */
  readonly maxWatched: number;
}

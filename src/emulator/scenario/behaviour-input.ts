// Made from the schema by `npm run generate`.

/** Behaviour that the service does not publish. */
export interface BehaviourInput {
  /** what a quota-type filter leaves of the sets it does not name */
  unselected_quota_sets?: 'empty' | 'absent' | 'null' | undefined;
  /** whether ImageQuotaSet and DisasterRecoverGroupQuotaSet survive a zone filter */
  zone_filter_keeps_regional_sets?: boolean | undefined;
  /** how LaunchTemplateVersionSet is sorted */
  version_order?: 'newest-first' | 'oldest-first' | undefined;
  /** whether MinVersion and MaxVersion themselves belong to the range */
  version_range?: 'inclusive' | 'exclusive' | undefined;
  /** whether TotalCount counts the versions selected or all of the template */
  total_count?: 'selected' | 'all' | undefined;
  /** exclusive: LaunchTemplateVersions.N goes with no range and no paging */
  version_list?: 'combinable' | 'exclusive' | undefined;
}

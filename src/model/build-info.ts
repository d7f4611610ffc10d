/** Version and revision of the running program. */
export interface BuildInfo {
  readonly version: string;
  /** The commit that was built; empty when unknown. */
  readonly revision: string;
}

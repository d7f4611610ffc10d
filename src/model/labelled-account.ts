/** A configured account, and the labels that alerts get from it. */
export interface LabelledAccount {
  readonly name: string;
  /** By name. All accounts have the same names. */
  readonly labels: Readonly<Record<string, string>>;
}

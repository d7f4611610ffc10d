import type { QuotaType } from './quotas.ts';

/** A change that a client can notice. Used figures are not listed, because they change too often. */
export interface StateChange {
  readonly kind:
    | 'default-version-changed'
    | 'version-created'
    | 'version-deleted'
    | 'template-created'
    | 'template-deleted'
    | 'quota-limit-raised'
    | 'quota-limit-lowered'
    | 'zone-appeared'
    | 'zone-disappeared';
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly account: string;
  readonly region: string;
  readonly zone: string | null;
  readonly quotaType: QuotaType | null;
  readonly templateId: string | null;
  /** A version number or a limit. `null` if there was none. */
  readonly oldValue: number | null;
  readonly newValue: number | null;
}

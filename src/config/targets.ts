import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Target } from '../model/target.ts';

/** The keys that collectors read, with the name of their account or region. */
interface Settings {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The part of a configuration that determines the targets. */
interface Planned {
  readonly accounts: readonly (Settings & { readonly regions: readonly Settings[] })[];
}

/** The targets of a configuration, in its order. */
export function planTargets({ accounts }: Planned, collectors: CollectorSet): Target[] {
  return accounts.flatMap((account) =>
    account.regions.flatMap((region) =>
      collectors.all.flatMap((collector) =>
        collector.plan({
          account: account.name,
          region: region.name,
          accountKeys: account.settings,
          regionKeys: region.settings,
        }),
      ),
    ),
  );
}

import type { Change } from '../model/change.ts';

/** What changed, as a clause such as `default version changed from 5 to 8`; it does not say where. */
export function changeText({ kind, quotaType, zone, from, to }: Change): string {
  const where = zone === null ? '' : ` in ${zone}`;
  switch (kind) {
    case 'default-version-changed':
      return `default version changed from ${from ?? 'none'} to ${to ?? 'none'}`;
    case 'version-created':
      return `version ${to ?? ''} created`;
    case 'version-deleted':
      return `version ${from ?? ''} deleted`;
    case 'quota-limit-raised':
      return `${quotaType ?? 'quota'} limit raised from ${from ?? 'none'} to ${to ?? 'none'}${where}`;
    case 'quota-limit-lowered':
      return `${quotaType ?? 'quota'} limit lowered from ${from ?? 'none'} to ${to ?? 'none'}${where}`;
    case 'zone-appeared':
      return `zone ${to ?? ''} appeared`;
    case 'zone-disappeared':
      return `zone ${from ?? ''} disappeared`;
  }
}

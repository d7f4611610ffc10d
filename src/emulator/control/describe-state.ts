/** The state as JSON, in the form of a scenario file. Secret keys, tokens and policies are left out. */
import { inScenarioWords } from '../input/words.ts';
import type { Account } from '../resources/accounts.ts';
import type { Quota, Zone } from '../resources/quotas.ts';
import type { Region } from '../resources/regions.ts';
import type { Template } from '../resources/templates.ts';

export function describeState(accounts: readonly Account[]) {
  return { accounts: accounts.map((account) => inScenarioWords(accountContent(account))) };
}

function accountContent({ name, appId, uin, deniedOperations, ...account }: Account) {
  return {
    name,
    appId,
    uin,
    keys: account.keys.map(({ secretId }) => ({ secretId })),
    roles: [...account.roles.keys()].map((role) => ({ name: role })),
    oidcProviders: [...account.oidcProviders.keys()].map((id) => ({ id })),
    deniedOperations: [...deniedOperations],
    regions: [...account.regions.values()].map(regionContent),
  };
}

function regionContent({ zones, quotas, templates, ...region }: Region) {
  return {
    ...region,
    zones: [...zones.values()].map(zoneContent),
    ...existing(quotas),
    launchTemplates: [...templates.values()].map(templateContent),
  };
}

function zoneContent({ quotas, ...zone }: Zone) {
  return { ...zone, ...existing(quotas) };
}

function existing(quotas: Readonly<Record<string, Quota | null>>): Record<string, Quota> {
  return Object.fromEntries(
    Object.entries(quotas).flatMap(([type, quota]) => (quota === null ? [] : [[type, quota]])),
  );
}

function templateContent({ id, name, tags, defaultVersion, versions, row }: Template) {
  return {
    id,
    name,
    tags: Object.fromEntries(tags),
    defaultVersion,
    versions: [...versions.values()].map(({ row: own, ...version }) => ({ ...version, ...own })),
    ...row,
  };
}

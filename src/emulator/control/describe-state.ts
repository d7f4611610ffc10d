/** The state as JSON, in the words of a scenario file. Secret keys and tokens are left out. */
import type { Account, Region, Template, Zone } from '../resources/model.ts';

export function describeState(accounts: readonly Account[]) {
  return { accounts: accounts.map(describeAccount) };
}

function describeAccount(account: Account) {
  return {
    name: account.name,
    app_id: account.appId,
    uin: account.uin,
    keys: account.keys.map((key) => ({ secret_id: key.secretId })),
    roles: [...account.roles.keys()].map((name) => ({ name })),
    oidc_providers: [...account.oidcProviders.keys()].map((id) => ({ id })),
    denied_operations: [...account.deniedOperations],
    regions: [...account.regions.values()].map(describeRegion),
  };
}

function describeRegion({ name, state, zones, quotas, templates }: Region) {
  const groups = quotas.disaster_recover_group;
  return {
    name,
    state,
    zones: [...zones.values()].map(describeZone),
    image: quotas.image,
    disaster_recover_group: groups && {
      used: groups.used,
      limit: groups.limit,
      instances_per_group: groups.instancesPerGroup,
    },
    launch_templates: [...templates.values()].map(describeTemplate),
  };
}

function describeZone({ name, state, quotas: { postpaid, prepaid, spotpaid } }: Zone) {
  return {
    name,
    state,
    postpaid,
    prepaid: prepaid && {
      used: prepaid.used,
      limit: prepaid.limit,
      once_limit: prepaid.onceLimit,
    },
    spotpaid,
  };
}

function describeTemplate(template: Template) {
  return {
    id: template.id,
    name: template.name,
    tags: Object.fromEntries(template.tags),
    default_version: template.defaultVersion,
    versions: [...template.versions.values()].map(
      ({ version, description, creationTime, data, row }) => ({
        version,
        description,
        creation_time: creationTime,
        data,
        ...row,
      }),
    ),
    ...template.row,
  };
}

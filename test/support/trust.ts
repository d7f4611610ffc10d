/** Trust policies of roles in scenarios of the emulator. */

interface Principal {
  qcs?: string;
  service?: string;
  federated?: string;
}

/** A policy that trusts one principal. */
export function trust(
  principal: Principal,
  { action = 'name/sts:AssumeRole', externalId }: { action?: string; externalId?: string } = {},
) {
  const condition =
    externalId === undefined ? undefined : { string_equal: { 'sts:external_id': externalId } };
  return {
    version: '2.0' as const,
    statement: [{ effect: 'allow' as const, action, principal, condition }],
  };
}

import { expect, test } from 'vitest';
import {
  allows,
  trusts,
  type Policy,
  type TrustPolicy,
} from '../../../../src/emulator/scenario/policy.ts';
import { rowsOf } from '../../../support/rows.ts';

const policyOf = (...statement: object[]) => ({ version: '2.0', statement }) as Policy;
const role = 'qcs::cam::uin/1:roleName/monitor';

test.each(rowsOf<[what: string, isAllowed: boolean, statements: object[]]>('emulator', 'policies'))(
  'a policy that allows %s allows what is asked: %s',
  (_what, expected, statements) => {
    expect(allows(policyOf(...statements), 'name/sts:AssumeRole', [role])).toBe(expected);
  },
);

const request = {
  action: 'name/sts:AssumeRole',
  principal: 'qcs',
  name: 'qcs::cam::uin/1:root',
  context: { 'sts:external_id': 'external' },
} as const;

test.each(rowsOf<[whom: string, isTrusted: boolean, parts: object]>('emulator', 'trust'))(
  'a role that trusts %s may be assumed: %s',
  (_whom, expected, parts) => {
    const statement = { effect: 'allow', action: 'name/sts:AssumeRole', ...parts };

    expect(trusts({ version: '2.0', statement: [statement] } as TrustPolicy, request)).toBe(
      expected,
    );
  },
);

import { expect, it } from 'vitest';
import { versionParameters } from '../../../../src/collectors/launch-template/request.ts';

it('always asks for every version number', () => {
  expect(Object.fromEntries(versionParameters('lt-b8v1kcyq', 99))).toEqual({
    LaunchTemplateId: 'lt-b8v1kcyq',
    MinVersion: '0',
    MaxVersion: '2147483647',
    Offset: '99',
    Limit: '100',
  });
});

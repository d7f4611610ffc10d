import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { testRows } from '../../support/answer-rows.ts';

const guangzhou = {
  name: 'ap-guangzhou',
  image: { used: 3, limit: 10 },
  disaster_recover_group: { used: 25, limit: 10 },
};
const scenario: ScenarioInput = {
  site: 'international',
  accounts: [{ name: 'a', regions: [guangzhou, { name: 'ap-seoul' }] }],
};

testRows('DescribeImageQuota', scenario, [
  ['the limit of images', {}, { ImageNumQuota: 10 }],
  ['0 for a region without images', { Region: 'ap-seoul' }, { ImageNumQuota: 0 }],
  ['a refusal of parameters', { Limit: '1' }, 'UnknownParameter'],
]);

testRows('DescribeDisasterRecoverGroupQuota', scenario, [
  [
    'more groups than the limit, as in the official sample',
    {},
    {
      GroupQuota: 10,
      CurrentNum: 25,
      CvmInHostGroupQuota: 50,
      CvmInSwGroupQuota: 20,
      CvmInSwitchGroupQuota: 20,
      CvmInRackGroupQuota: 30,
    },
  ],
  ['0 for a region without groups', { Region: 'ap-seoul' }, { GroupQuota: 0, CurrentNum: 0 }],
  ['a refusal of parameters', { Limit: '1' }, 'UnknownParameter'],
]);

testRows('DescribeAccountQuota', scenario, [['that it does not exist', {}, 'InvalidAction']]);

import { filters, indexed, regionScenario, testRows } from '../../support/answer-rows.ts';

const template = (id: string, name: string, tags: Readonly<Record<string, string>>) => ({
  id,
  name,
  tags,
  default_version: 1,
  versions: [1, 2, 7],
});

const scenario = regionScenario({
  launch_templates: [
    template('lt-web00001', 'web', { env: 'prod', team: 'web' }),
    template('lt-web00002', 'web', { env: 'test' }),
    template('lt-none0003', 'batch', {}),
  ],
});

const ids = (...names: readonly string[]) => ({
  LaunchTemplateSet: names.map((LaunchTemplateId) => ({ LaunchTemplateId })),
});
const idQuery = (...names: readonly string[]) => indexed('LaunchTemplateIds', names);

testRows('DescribeLaunchTemplates', scenario, [
  [
    'all of them, each with its numbers of versions',
    {},
    {
      TotalCount: 3,
      LaunchTemplateSet: [
        {
          LaunchTemplateId: 'lt-web00001',
          LaunchTemplateName: 'web',
          DefaultVersionNumber: 1,
          LatestVersionNumber: 7,
          LaunchTemplateVersionCount: 3,
        },
        { LaunchTemplateId: 'lt-web00002' },
        { LaunchTemplateId: 'lt-none0003' },
      ],
    },
  ],
  ['what IDs name', idQuery('lt-none0003', 'lt-web00001'), ids('lt-none0003', 'lt-web00001')],
  ['a page by Offset and Limit', { Limit: '1', Offset: '1' }, ids('lt-web00002')],
  ['what a name selects', filters(['LaunchTemplateName', 'batch', 'x']), ids('lt-none0003')],
  ['what a key of a tag selects', filters(['tag-key', 'env']), ids('lt-web00001', 'lt-web00002')],
  [
    'what values of tags select',
    filters(['tag-value', 'web', 'test']),
    ids('lt-web00001', 'lt-web00002'),
  ],
  ['what a tag selects', filters(['tag:env', 'prod']), ids('lt-web00001')],
  [
    'what every filter selects',
    filters(['tag-key', 'env'], ['tag:env', 'test']),
    ids('lt-web00002'),
  ],
  [
    'a refusal of IDs beside Filters',
    { ...idQuery('lt-web00001'), ...filters(['tag-key', 'env']) },
    'InvalidParameterCombination',
  ],
  [
    'a refusal of a malformed ID',
    idQuery('web'),
    'InvalidParameterValue.LaunchTemplateIdMalformed',
  ],
  [
    'a refusal of an unknown ID',
    idQuery('lt-00000000'),
    'InvalidParameterValue.LaunchTemplateNotFound',
  ],
  ['a refusal of another filter', filters(['colour', 'red']), 'InvalidFilter'],
  [
    'a refusal of 6 values of a filter',
    filters(['tag-key', 'a', 'b', 'c', 'd', 'e', 'f']),
    'InvalidFilterValue.LimitExceeded',
  ],
]);

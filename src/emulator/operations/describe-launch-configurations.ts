/**
 * DescribeLaunchConfigurations of as (docs/service.md, section 16.5). Not published, so we chose: 20 requests per second,
 * and more than 100 IDs are InvalidParameterValue.TooLong.
 */
import type { LaunchConfiguration } from '../scenario/scaling.ts';
import { launchConfigurationIdPattern } from '../scenario/vocabulary.ts';
import { tagRows, withOverrides, type Operation } from './operation.ts';
import { filtersByName, scalingList } from './scaling-list.ts';

export const describeLaunchConfigurations: Operation = (parameters, { region }) => {
  const { total, page } = scalingList(region.launch_configurations, parameters, {
    idsName: 'LaunchConfigurationIds',
    idPattern: launchConfigurationIdPattern,
    filters: filtersByName('launch-configuration'),
    tagsOf: ({ tags }) => tags,
    malformedIdCode: 'InvalidParameterValue.InvalidLaunchConfigurationId',
    tooManyIdsCode: 'InvalidParameterValue.TooLong',
    pageCode: 'InvalidParameterValue',
    conflictCode: 'InvalidParameterConflict',
    incompleteFilterCode: 'InvalidParameterValue.InvalidFilter',
  });
  return { TotalCount: total, LaunchConfigurationSet: page.map(configurationRow) };
};

/** A complete example, with what the scenario says of the configuration. */
function configurationRow(configuration: LaunchConfiguration) {
  const row = {
    LaunchConfigurationId: configuration.id,
    LaunchConfigurationName: configuration.name,
    LaunchConfigurationStatus: 'NORMAL',
    InstanceType: configuration.instance_types[0],
    InstanceTypes: configuration.instance_types,
    InstanceChargeType: 'POSTPAID_BY_HOUR',
    ImageId: 'img-8toqc6s3',
    ImageFamily: null,
    SystemDisk: { DiskType: 'CLOUD_PREMIUM', DiskSize: 50 },
    DataDisks: [],
    DiskTypePolicy: 'ORIGINAL',
    DisasterRecoverGroupIds: [],
    SecurityGroupIds: ['sg-rf6ogz49'],
    VersionNumber: 1,
    UserData: '',
    Tags: tagRows(configuration.tags),
    UpdatedTime: '2018-11-20T08:33:56Z',
  };
  return withOverrides(row, configuration);
}

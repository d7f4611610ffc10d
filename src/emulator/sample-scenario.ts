import type { ScenarioInput } from './scenario/scenario.ts';

const disk = { DeleteWithInstance: true, KmsKeyId: '', DiskType: 'CLOUD_PREMIUM' };

/** The scenario of an emulator without a scenario file: the official samples (docs/service.md, section 15). */
export const sampleScenario: ScenarioInput = {
  accounts: [
    {
      name: 'sample',
      regions: [
        {
          name: 'ap-guangzhou',
          zones: [
            {
              name: 'ap-guangzhou-3',
              postpaid: { used: 0, limit: 288 },
              prepaid: { used: 0, limit: 255, once_limit: 300 },
              spotpaid: { used: 0, limit: 244 },
            },
            {
              name: 'ap-guangzhou-4',
              postpaid: { used: 2, limit: 1250 },
              prepaid: { used: 0, limit: 222, once_limit: 300 },
              spotpaid: { used: 4, limit: 199 },
            },
          ],
          image: { used: 0, limit: 10 },
          disaster_recover_group: { used: 0, limit: 10 },
          launch_templates: [
            {
              id: 'lt-b8v1kcyq',
              default_version: 1,
              versions: [
                {
                  version: 1,
                  creation_time: '2020-12-17T01:54:31Z',
                  data: {
                    DisableApiTermination: true,
                    Placement: { ProjectId: 0, Zone: 'ap-guangzhou-6' },
                    EnhancedService: {
                      SecurityService: { Enabled: true },
                      MonitorService: { Enabled: true },
                      AutomationService: { Enabled: false },
                    },
                    DataDisks: [
                      { ...disk, Encrypt: false, DiskSize: 50 },
                      { ...disk, Encrypt: true, DiskSize: 60 },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
};

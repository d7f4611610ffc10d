/**
 * DescribeImageQuota: the limit of custom images (docs/service.md, section 16.3). Not published, so we chose: 0 for a
 * region without images.
 */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type Operation } from './operation.ts';

export const describeImageQuota: Operation = (parameters, { region: { image } }) => {
  refuseUnknown(parameters, []);
  return withOverrides({ ImageNumQuota: image?.limit ?? 0 }, image ?? {});
};

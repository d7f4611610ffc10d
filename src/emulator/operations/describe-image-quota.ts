/** DescribeImageQuota (docs/service.md, section 16.3). Chosen, because it is not published: 0 for a region without images. */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type Operation } from './operation.ts';

export const describeImageQuota: Operation = (parameters, { region: { image } }) => {
  refuseUnknown(parameters, []);
  return withOverrides({ ImageNumQuota: image?.limit ?? 0 }, image ?? {});
};

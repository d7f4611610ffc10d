/** The services that collectors ask. Host, signature and version of a request follow from its service. */
import type { Service } from '../api/request.ts';

export const cvm: Service = { service: 'cvm', version: '2017-03-12' };
export const vpc: Service = { service: 'vpc', version: '2017-03-12' };

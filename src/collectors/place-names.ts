/** The names of places, in a configuration and in answers. They become parts of hosts, file names and labels. */
import { z } from 'zod';

export const regionName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)+$/, { error: 'expected a region such as ap-guangzhou' })
  .max(64);

export const zoneName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, { error: 'expected a zone such as ap-guangzhou-3' });

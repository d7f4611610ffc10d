import { integerOf, type Parameters } from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';

const defaultLimit = 20;
const maxLimit = 100;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * The requested page (docs/service.md, section 8): Offset from 0, Limit 1 to 100. Limit defaults to 20.
 *
 * @throws ServiceError `InvalidParameterValue` outside these bounds
 */
export function pageOf(parameters: Parameters): Page {
  const offset = integerOf(parameters, 'Offset') ?? 0;
  const limit = integerOf(parameters, 'Limit') ?? defaultLimit;
  if (offset < 0) {
    throw new ServiceError('InvalidParameterValue', 'The parameter `Offset` must be at least 0.');
  }
  if (limit < 1 || limit > maxLimit) {
    throw new ServiceError('InvalidParameterValue', 'The parameter `Limit` must be from 1 to 100.');
  }
  return { offset, limit };
}

export function slice<T>(items: readonly T[], { offset, limit }: Page): T[] {
  return items.slice(offset, offset + limit);
}

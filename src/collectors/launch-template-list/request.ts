/** The request of DescribeLaunchTemplates. */
import type { Parameter } from '../../api/request.ts';
import type { TemplateSelection } from './target.ts';

/** Maximum number of rows in one page of the service (docs/service.md, section 7). */
const pageSize = 100;

/**
 * The request for the templates from `offset` on. The service compares tags. It has no patterns for names, so
 * names are compared with the answer.
 */
export function listParameters({ tags }: TemplateSelection, offset: number): Parameter[] {
  const filters = Object.entries(tags).flatMap(([key, value], i): Parameter[] => [
    [`Filters.${i}.Name`, `tag:${key}`],
    [`Filters.${i}.Values.0`, value],
  ]);
  return [...filters, ['Offset', String(offset)], ['Limit', String(pageSize)]];
}

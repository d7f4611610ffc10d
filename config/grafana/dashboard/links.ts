/** Links at the top of the dashboard. Their addresses are variables. */
import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';

export const links = [
  { title: 'Status page', url: '${page}' },
  { title: 'Runbooks', url: '${runbooks}' },
  { title: 'Console', url: '${console}' },
].map(({ title, url }) =>
  new DashboardLinkBuilder(title)
    .type(DashboardLinkType.Link)
    .url(url)
    .icon('external link')
    .targetBlank(true),
);

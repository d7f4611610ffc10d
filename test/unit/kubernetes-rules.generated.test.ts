/** The files of config/kubernetes/rules, made from those of Prometheus and Alertmanager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { parse, Scalar, stringify } from 'yaml';
import { expectGenerated } from '../support/generated-file.ts';

const config = join(import.meta.dirname, '../../config');
const namespace = 'cvm-quota-monitor';
const read = (path: string) => readFileSync(join(config, path), 'utf8');

async function expectManifest(path: string, header: string, manifest: object): Promise<void> {
  const body = stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 100 });
  await expectGenerated(`config/kubernetes/rules/${path}`, `${header}\n${body}`);
}

test('config/kubernetes/rules/prometheus-rule.yaml holds the rules of config/prometheus', async () => {
  // An AlertmanagerConfig routes the alerts of its namespace. Here, no series gives this label.
  const absent = 'absent(up{job="cvm-quota-monitor"})';
  const { groups }: { groups: unknown[] } = parse(
    read('prometheus/rules.yaml').replace(
      absent,
      `label_replace(${absent}, "namespace", "${namespace}", "", "")`,
    ),
    { merge: true },
  );
  await expectManifest(
    'prometheus-rule.yaml',
    '# Made from config/prometheus by `npm run generate`; do not edit.',
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: namespace, labels: { 'app.kubernetes.io/name': namespace } },
      spec: { groups },
    },
  );
});

interface Route {
  readonly receiver: string;
  readonly matchers?: readonly string[];
  readonly group_by?: readonly string[];
  readonly group_wait?: string;
  readonly group_interval?: string;
  readonly repeat_interval?: string;
  readonly routes?: readonly Route[];
}

interface Alertmanager {
  readonly route: Route;
  readonly inhibit_rules: readonly {
    readonly source_matchers: readonly string[];
    readonly target_matchers: readonly string[];
    readonly equal: readonly string[];
  }[];
  readonly receivers: readonly {
    readonly name: string;
    readonly webhook_configs: readonly { readonly send_resolved?: boolean }[];
  }[];
}

/** Such as `severity="critical"`, in the form of the operator. In YAML 1.1, `=` without quotes is no text. */
function matcher(text: string) {
  const [, name, operator, value] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
  const matchType = Object.assign(new Scalar(operator), { type: Scalar.QUOTE_SINGLE });
  return { name, matchType, value };
}

const routeOf = (route: Route): object => ({
  receiver: route.receiver,
  matchers: route.matchers?.map(matcher),
  groupBy: route.group_by,
  groupWait: route.group_wait,
  groupInterval: route.group_interval,
  repeatInterval: route.repeat_interval,
  routes: route.routes?.map(routeOf),
});

test('config/kubernetes/rules/alertmanager-config.yaml holds the routes and inhibitions of config/alertmanager', async () => {
  const {
    inhibit_rules: inhibitions,
    receivers,
    route,
  }: Alertmanager = parse(read('alertmanager/alertmanager.yaml'));
  await expectManifest(
    'alertmanager-config.yaml',
    `# Made from config/alertmanager by \`npm run generate\`; do not edit. An example for the Prometheus operator, which
# kustomization.yaml does not apply. It belongs into the namespace of the daemon: the operator adds a matcher for the
# namespace of this object, and the alerts have this label. Each address is a key of a Secret, because it can contain a token.`,
    {
      apiVersion: 'monitoring.coreos.com/v1alpha1',
      kind: 'AlertmanagerConfig',
      metadata: { name: namespace, namespace, labels: { 'app.kubernetes.io/name': namespace } },
      spec: {
        route: routeOf(route),
        inhibitRules: inhibitions.map((rule) => ({
          sourceMatch: rule.source_matchers.map(matcher),
          targetMatch: rule.target_matchers.map(matcher),
          equal: rule.equal,
        })),
        receivers: receivers.map(({ name, webhook_configs: webhooks }) => ({
          name,
          webhookConfigs: webhooks.map((webhook) => ({
            sendResolved: webhook.send_resolved,
            urlSecret: { name: 'cvm-quota-monitor-receivers', key: name },
          })),
        })),
      },
    },
  );
});

/** The manifests of config/kubernetes, and what the chart of config/helm has from elsewhere. */
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { parse, Scalar, stringify } from 'yaml';
import { expectGenerated, expectWritten } from '../support/generated-file.ts';
import { chart, helmTemplate, tableOfValues } from '../support/helm.ts';

const namespace = 'cvm-quota-monitor';

const read = (path: string) => readFileSync(path, 'utf8');

test('the chart holds the rules of config/prometheus', async () => {
  await expectGenerated(`${chart}/files/rules.yaml`, read('config/prometheus/rules.yaml'));
});

test('README.md of the chart names every value with its default', async () => {
  const [written] = read(`${chart}/README.md`).split('## Values\n');

  await expectGenerated(`${chart}/README.md`, `${written}## Values\n\n${tableOfValues()}\n`);
});

/** The profile that the pods comply with. With Helm, who installs makes the namespace. */
const namespaceManifest = `---
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

const monitor = ['--show-only=templates/service-monitor.yaml'];
const rule = ['--show-only=templates/prometheus-rule.yaml'];
test.each([
  ['daemon', 'One daemon in its own namespace', namespaceManifest, []],
  ['cluster', 'Three daemons and a Valkey in their own namespace', namespaceManifest, []],
  ['operator', 'Scraping and alerts, for the Prometheus operator', '', [...monitor, ...rule]],
])('config/kubernetes/%s.yaml is what the chart makes', async (name, what, first, options) => {
  const header = `# ${what}. Made from ${chart} and its ci/${name}.yaml by \`npm run generate\`; do not edit.\n`;
  const rendered = helmTemplate(`${name}.yaml`, '--skip-tests', ...options);

  await expectWritten(`config/kubernetes/${name}.yaml`, header + first + rendered);
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

test('config/kubernetes/alertmanager-config.yaml holds the routes and inhibitions of config/alertmanager', async () => {
  const {
    inhibit_rules: inhibitions,
    receivers,
    route,
  }: Alertmanager = parse(read('config/alertmanager/alertmanager.yaml'));
  const header = `# Made from config/alertmanager by \`npm run generate\`; do not edit. An example for the Prometheus operator.
# It belongs into the namespace of the daemon: the operator adds a matcher for the namespace of this object, and the
# alerts have this label. Each address is a key of a Secret, because it can contain a token.`;
  const body = stringify(
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
    { aliasDuplicateObjects: false, lineWidth: 100 },
  );
  await expectWritten('config/kubernetes/alertmanager-config.yaml', `${header}\n${body}`);
});

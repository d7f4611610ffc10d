/** The chart of config/helm: what helm and the schemas say of it, and what it makes of sets of values. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import { chart, helm, helmTemplate, valueFiles } from '../support/helm.ts';
import { runHere } from '../support/in-process.ts';
import {
  type Manifest,
  type Pod,
  expectRestricted,
  manifestsOf,
  podSelectors,
  schemaErrors,
} from '../support/kubernetes.ts';
import { startWatched } from '../support/program.ts';
import { hasRedis } from '../support/redis.ts';

const rendered = new Map(
  valueFiles.map((file): [string, Manifest[]] => [file, manifestsOf(helmTemplate(file))]),
);
const all = [...rendered.values()].flat();
const setsOf = (values: readonly string[]) => values.map((value) => `--set=${value}`);

test('helm lint --strict has nothing to say of the chart, with and without each set of values', () => {
  expect(valueFiles).toHaveLength(12);
  for (const values of [[], ...valueFiles.map((file) => [`--values=${chart}/ci/${file}`])]) {
    expect(helm('lint', '--strict', chart, ...values)).not.toMatch(/WARNING|ERROR/);
  }
});

test('what the chart makes of each set of values satisfies the schemas of Kubernetes and of the operator', async () => {
  expect(await schemaErrors(all)).toEqual([]);
});

test.each(valueFiles)('every pod of the chart with %s satisfies the restricted profile', (file) => {
  const pods = rendered.get(file)!.flatMap(({ kind, spec }): Pod[] => {
    if (kind === 'Pod') return [spec];
    return spec?.template?.spec === undefined ? [] : [spec.template.spec];
  });

  expect(pods.length).toBeGreaterThan(1);
  for (const pod of pods) expectRestricted(pod);
});

test.each(valueFiles)(
  'check-config accepts the configuration of the chart with %s',
  async (file) => {
    const values = parse(readFileSync(`${chart}/ci/${file}`, 'utf8'));
    const texts: string[] = rendered.get(file)!.flatMap(({ data }) => data?.['config.yaml'] ?? []);
    expect(texts).toHaveLength(values.existingConfigMap === undefined ? 1 : 0);

    for (const text of texts) {
      const path = await temporaryFile('config.yaml', text.replace(/^ *ca_file: .*\n/m, ''));
      const { code, stderr } = await runHere(['check-config', `--config.file=${path}`]);

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  },
);

test.each([
  ['no configuration', [], 'no configuration: write --set-file config=config.yaml'],
  ['two', ['config.a=b', 'existingConfigMap=c'], 'set config or existingConfigMap, not both'],
  ['a cluster in it', ['config.cluster.name=a'], '`cluster` is made from the values'],
  [
    'a cluster without Redis',
    ['config.a=b', 'cluster.enabled=true'],
    'cluster.redis.url is needed',
  ],
  ['Valkey for one daemon', ['config.a=b', 'valkey.enabled=true'], "'/cluster/enabled'"],
  ['a value that there is not', ['config.a=b', 'image.name=x'], "'name' not allowed"],
  ['a password', ['cluster.redis.url=redis://:a@b'], 'does not match pattern'],
])('the chart refuses %s', (_what, values, message) => {
  expect(() => helm('template', 'x', chart, ...setsOf(values))).toThrow(message);
});

test.each([
  ['cluster.yaml', true],
  ['redis.yaml', false],
])(
  'the notes of the chart with %s say how to reach the page, and warn of redis://',
  (file, warns) => {
    const values = `--values=${chart}/ci/${file}`;

    const notes = helm('install', 'q', chart, '--namespace=n', '--dry-run=client', values);

    expect(notes).toContain(
      'kubectl --namespace n port-forward service/q-cvm-quota-monitor 10042:',
    );
    expect(notes.includes('is not encrypted')).toBe(warns);
  },
);

test('an upgrade keeps the names and selectors of 0.1.0', () => {
  const named = (file: string) =>
    rendered
      .get(file)!
      .filter(({ kind }) => kind !== 'ConfigMap')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const name = 'cvm-quota-monitor';
  const selectorOf = (app: string) => ({
    'app.kubernetes.io/name': app,
    'app.kubernetes.io/instance': name,
  });
  const own = ['NetworkPolicy', 'Service', 'Deployment'].map((kind) => `${kind} ${name}`);
  const store = ['NetworkPolicy', 'Service', 'StatefulSet'].map((kind) => `${kind} valkey`);
  const tested = `Pod ${name}-test`;

  expect(named('daemon.yaml').toSorted()).toEqual(
    [...own, `PersistentVolumeClaim ${name}`, tested].toSorted(),
  );
  expect(named('cluster.yaml').toSorted()).toEqual(
    [...own, ...store, `PodDisruptionBudget ${name}`, tested].toSorted(),
  );
  expect(podSelectors(rendered.get('cluster.yaml')!)).toEqual(
    expect.arrayContaining([selectorOf(name), selectorOf('valkey')]),
  );
  for (const selector of podSelectors(all)) {
    expect([selectorOf(name), selectorOf('valkey')]).toContainEqual(selector);
  }
});

test('a second installation in the namespace shares no object and no pod with the first one', () => {
  const idOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
  const text = helm('template', 'staging', chart, `--values=${chart}/ci/daemon.yaml`);
  const first = rendered.get('daemon.yaml')!;

  const second = manifestsOf(text);

  expect(second.map(idOf).filter((id) => first.map(idOf).includes(id))).toEqual([]);
  for (const selector of podSelectors(second))
    expect(podSelectors(first)).not.toContainEqual(selector);
});

test.runIf(hasRedis)(
  'the user of the bundled Valkey may what docs/security.md says, and a daemon needs no more',
  async () => {
    const { command }: { command: [string, string, string] } = all.find(
      ({ kind }) => kind === 'StatefulSet',
    ).spec.template.spec.containers[0];
    const password = await temporaryFile('password', 'a password of a test\n');
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const [, , script] = command;
    const server = spawn('sh', [
      '-c',
      script
        .replace('/run/secrets/valkey/password', password)
        .replace(
          'valkey-server --dir /data',
          `redis-server --port ${port} --dir ${await temporaryDirectory()}`,
        ),
    ]);
    onTestFinished(() => void server.kill());

    const url = `redis://127.0.0.1:${port}`;
    const { daemon } = await startWatched({
      cluster: {
        name: 'production',
        redis: { url, username: 'cvm-quota-monitor', password_file: password },
      },
    });

    await daemon.metricsWhen((samples) => samples.value('cvm_monitor_cluster_store_up') === 1);
    const rules = /on "#\$hash" (.*)$/m
      .exec(script)![1]!
      .replaceAll("'", '')
      .replaceAll('production', 'prod');
    expect(readFileSync('docs/security.md', 'utf8')).toContain(`on >PASSWORD ${rules}\n`);
  },
);

import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks } from '../support/docs/markdown.ts';
import {
  type Manifest,
  configOf,
  containersOf,
  daemonOf,
  expectRestricted,
  hasKubectl,
  kustomize,
  mountedAt,
  namedPorts,
  ofKind,
  podOf,
  podSelectors,
  schemaErrors,
} from '../support/kubernetes.ts';

const repository = join(import.meta.dirname, '../..');
const base = join(repository, 'config/kubernetes');
const sidecar = join(base, 'sidecar');
const cluster = join(base, 'cluster');
/** The folders that are kustomizations of their own. */
const otherFolders = ['sidecar', 'cluster', 'rules', 'valkey'];
const credentials = '/var/run/secrets/cvm-quota-monitor';

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe.runIf(hasKubectl()).each([
  ['config/kubernetes', 'of the daemon', base],
  ['config/kubernetes/sidecar', 'of the daemon as a sidecar', sidecar],
  ['config/kubernetes/cluster', 'of a cluster of daemons', cluster],
])('%s', (_path, whose, directory) => {
  const manifests = kustomize(directory);
  const { template } = ofKind(manifests, 'Deployment').spec;
  const pod = podOf(manifests);

  test(`the Kubernetes manifests ${whose} are all listed in kustomization.yaml`, () => {
    const kustomization: { resources: string[]; configMapGenerator: { files: string[] }[] } = parse(
      read(directory, 'kustomization.yaml'),
    );
    const listed = [
      'kustomization.yaml',
      ...kustomization.resources.filter((name) => name.endsWith('.yaml')),
      ...kustomization.configMapGenerator.flatMap(({ files }) => files),
    ];
    const present = readdirSync(directory).filter((name) => !otherFolders.includes(name));
    expect(present.sort()).toEqual(listed.sort());
  });

  test(`the Kubernetes manifests ${whose} satisfy the schemas of Kubernetes and of the Prometheus operator, without an unknown field`, async () => {
    expect(await schemaErrors(manifests)).toEqual([]);
  });

  test(`the Kubernetes manifests ${whose} satisfy the restricted profile, with a read-only root filesystem`, () => {
    expectRestricted(pod);
  });

  test(`the Kubernetes manifests ${whose} run the command and the user of the image, in this version`, () => {
    const dockerfile = read(repository, 'Dockerfile');
    const { version }: { version: string } = JSON.parse(read(repository, 'package.json'));
    const command: string[] = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)![1]!);
    const [uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile)!.slice(1).map(Number);

    // A daemon of a cluster has its records in Redis.
    const needed = command.filter((arg) => directory !== cluster || !arg.startsWith('--storage'));
    expect(daemonOf(pod).args.slice(0, needed.length)).toEqual(needed);
    expect(pod.securityContext).toMatchObject({ runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    expect(daemonOf(pod).image).toBe(`registry.example.com/cvm-quota-monitor:${version}`);
  });

  test(`the Kubernetes manifests ${whose} allow the daemon the memory of the largest row of the benchmarks`, () => {
    const table = read(repository, 'docs/benchmarks.md');
    const measured = [...table.matchAll(/^\| resident memory[^|]*\| +(\d+(?:\.\d+)?) MiB/gm)];
    const largestMiB = Math.max(...measured.map(([, mebibytes]) => Number(mebibytes)));
    const [, limitMiB] = /^(\d+)Mi$/.exec(daemonOf(pod).resources.limits.memory)!;

    expect(largestMiB).toBeGreaterThan(0);
    expect(Number(limitMiB)).toBeGreaterThan(1.1 * largestMiB);
  });

  test(`the Kubernetes manifests ${whose} configure the daemon with a file that it accepts, at the path of its flag`, () => {
    expect(configOf(manifests).accounts.map((account) => account.credentials)).toEqual([
      {
        type: 'files',
        secret_id_file: `${credentials}/secret_id`,
        secret_key_file: `${credentials}/secret_key`,
      },
    ]);
    expect(mountedAt(pod, '/etc/cvm-quota-monitor')).toMatchObject({
      configMap: { name: ofKind(manifests, 'ConfigMap').metadata.name },
    });
  });

  test(`the Kubernetes manifests ${whose} refuse an edit of the configuration in place, which a running daemon would not see`, () => {
    const { immutable, metadata: map } = ofKind(manifests, 'ConfigMap');

    expect(immutable).toBe(true);
    expect(map.name).toMatch(/-[a-z0-9]{10}$/);
  });

  test(`the Kubernetes manifests ${whose} give a slow start time where a daemon that does not answer is ended`, () => {
    const { livenessProbe, startupProbe } = daemonOf(pod);

    expect(startupProbe === undefined).toBe(livenessProbe === undefined);
    expect(startupProbe?.httpGet).toEqual(livenessProbe?.httpGet);
  });

  test(`the Kubernetes manifests ${whose} bring the credentials as files of a Secret that the operator makes`, () => {
    expect(mountedAt(pod, credentials)).toMatchObject({
      secret: { secretName: 'cvm-quota-monitor-credentials' },
    });
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });

  test(`the Kubernetes manifests ${whose} select the pod by its labels`, () => {
    const selectors = podSelectors(manifests);
    expect(selectors.length).toBeGreaterThan(1);
    for (const selector of selectors) expect(template.metadata.labels).toMatchObject(selector);
  });

  test(`the Kubernetes manifests ${whose} name only ports and volumes that exist`, () => {
    expect([...namedPorts(manifests)]).toEqual(daemonOf(pod).ports.map(({ name }) => name));
    const mounts = containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts);
    expect(mounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
  });
});

describe.runIf(hasKubectl())('config/kubernetes', () => {
  const manifests = kustomize(base);
  const deployment = ofKind(manifests, 'Deployment');

  test('the Kubernetes manifests of the daemon never run two daemons on one state directory', () => {
    const claim = ofKind(manifests, 'PersistentVolumeClaim');
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(mountedAt(podOf(manifests), '/var/lib/cvm-quota-monitor')).toMatchObject({
      persistentVolumeClaim: { claimName: claim.metadata.name },
    });
  });

  test('the Kubernetes manifests of the daemon ask the daemon itself whether it is alive and ready', () => {
    expect(daemonOf(podOf(manifests))).toMatchObject({
      livenessProbe: { httpGet: { path: '/-/healthy', port: 'http' } },
      readinessProbe: { httpGet: { path: '/-/ready', port: 'http' } },
    });
  });

  test('the Kubernetes manifests of the daemon reach DNS on each port, the service, and the metadata service', () => {
    const egress = [
      { ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })) },
      {
        to: [
          {
            namespaceSelector: {
              matchExpressions: [
                expect.objectContaining({ values: ['kube-system', 'openshift-dns'] }),
              ],
            },
          },
        ],
      },
      { ports: [{ port: 443 }] },
      { to: [{ ipBlock: { cidr: '169.254.0.23/32' } }], ports: [{ port: 80 }] },
    ];
    expect(ofKind(manifests, 'NetworkPolicy')).toMatchObject({ spec: { egress } });
  });
});

test.runIf(hasKubectl())('nothing of a sidecar keeps the application from starting', () => {
  const pod = podOf(kustomize(sidecar));
  const daemon = daemonOf(pod);
  const volumes = daemon.volumeMounts!.map(({ mountPath }) => mountedAt(pod, mountPath));

  expect(pod.initContainers).toBeUndefined();
  expect(pod.containers.map(({ name }) => name)).toEqual(['autoscaler', 'cvm-quota-monitor']);
  expect(Object.keys(daemon).filter((key) => key.endsWith('Probe'))).toEqual([]);
  expect(volumes).toMatchObject([
    { configMap: { optional: true } },
    { secret: { optional: true } },
    { emptyDir: {} },
  ]);
});

test.runIf(hasKubectl())('tools that prune leave the state of the daemon', () => {
  expect(ofKind(kustomize(base), 'PersistentVolumeClaim').metadata).toMatchObject({
    annotations: {
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'helm.sh/resource-policy': 'keep',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    },
  });
});

/** The file of an example of docs/install.md, found by its first lines. */
const exampleOf = (start: string) =>
  codeBlocks(read(repository, 'docs/install.md')).find(({ text }) => text.startsWith(start))!.text;

describe.runIf(hasKubectl())('docs/install.md', () => {
  const first = kustomize(base);
  let second: ReturnType<typeof kustomize>;

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kustomize-'));
    await cp(base, join(directory, 'kubernetes'), { recursive: true });
    await mkdir(join(directory, 'staging'));
    await cp(join(base, 'config.yaml'), join(directory, 'staging/config.yaml'));
    const example = exampleOf('# staging/kustomization.yaml');
    await writeFile(join(directory, 'staging/kustomization.yaml'), example);
    second = kustomize(join(directory, 'staging'));
    await rm(directory, { recursive: true });
  });

  test('the second installation of docs/install.md shares no object and no pod with the first one', () => {
    const names = new Set(first.map(({ kind, metadata: { name } }) => `${kind} ${name}`));
    const { labels } = ofKind(second, 'Deployment').spec.template.metadata;
    const selectors = podSelectors(first);

    const shared = second.filter(({ kind, metadata: { name } }) => names.has(`${kind} ${name}`));

    expect(shared).toEqual([]);
    expect(selectors.length).toBeGreaterThan(2);
    for (const selector of selectors) {
      expect(Object.entries(selector).every(([key, value]) => labels[key] === value)).toBe(false);
    }
    for (const selector of podSelectors(second)) expect(labels).toMatchObject(selector);
  });
});

describe.runIf(hasKubectl())('config/kubernetes/rules', () => {
  test('the operator routes the alert that no daemon is there, in the namespace of its example', () => {
    const rules = JSON.stringify(kustomize(join(base, 'rules')));
    const { metadata }: Manifest = parse(read(base, 'rules/alertmanager-config.yaml'));

    const absent = String.raw`label_replace(absent(up{job=\"cvm-quota-monitor\"}), \"namespace\", \"${metadata.namespace}\"`;
    expect(rules).toContain(absent);
  });

  test('the rules for the Prometheus operator have an example of their routes that the operator accepts', async () => {
    const example: Manifest = parse(read(base, 'rules/alertmanager-config.yaml'));

    expect(await schemaErrors([example])).toEqual([]);
  });
});

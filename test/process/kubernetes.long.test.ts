/** The manifests of config/kubernetes. That the chart makes them: kubernetes.generated.long.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Manifest,
  configOf,
  containersOf,
  daemonOf,
  expectRestricted,
  kustomize,
  manifestsOf,
  mountedAt,
  namedPorts,
  ofKind,
  podOf,
  schemaErrors,
} from '../support/kubernetes.ts';

const repository = join(import.meta.dirname, '../..');
const base = join(repository, 'config/kubernetes');
const credentials = '/var/run/secrets/cvm-quota-monitor';
const labels = { 'app.kubernetes.io/name': 'cvm-quota-monitor' };
const valkeyLabels = { 'app.kubernetes.io/name': 'valkey' };

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const manifestsIn = (name: string): Manifest[] => manifestsOf(read(base, `${name}.yaml`));

const one = manifestsIn('daemon');
const sidecar = kustomize(join(base, 'sidecar'));
const ofValkey = ({ metadata }: Manifest) =>
  metadata.labels['app.kubernetes.io/name'] === valkeyLabels['app.kubernetes.io/name'];
const cluster = manifestsIn('cluster').filter((manifest) => !ofValkey(manifest));
const valkey = manifestsIn('cluster').filter(ofValkey);

describe.each([
  ['of the daemon', one],
  ['of the daemon as a sidecar', sidecar],
  ['of a cluster of daemons', cluster],
])('the Kubernetes manifests %s', (whose, manifests) => {
  const pod = podOf(manifests);

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
    const needed = command.filter((arg) => manifests !== cluster || !arg.startsWith('--storage'));
    expect(daemonOf(pod).args.slice(0, needed.length)).toEqual(needed);
    expect(pod.securityContext).toMatchObject({ runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    expect(daemonOf(pod).image).toMatch(new RegExp(`/cvm-quota-monitor:${version}$`));
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

  test(`the Kubernetes manifests ${whose} name only ports and volumes that exist`, () => {
    expect([...namedPorts(manifests)]).toEqual(daemonOf(pod).ports.map(({ name }) => name));
    const mounts = containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts);
    expect(mounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
  });
});

describe('config/kubernetes/daemon.yaml', () => {
  const deployment = ofKind(one, 'Deployment');

  test('the Kubernetes manifests of the daemon never run two daemons on one state directory', () => {
    const claim = ofKind(one, 'PersistentVolumeClaim');
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(mountedAt(podOf(one), '/var/lib/cvm-quota-monitor')).toMatchObject({
      persistentVolumeClaim: { claimName: claim.metadata.name },
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
    expect(ofKind(one, 'NetworkPolicy')).toMatchObject({ spec: { egress } });
  });
});

test('nothing of a sidecar keeps the application from starting', () => {
  const pod = podOf(sidecar);
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

test('tools that prune leave the state of the daemon', () => {
  expect(ofKind(one, 'PersistentVolumeClaim').metadata).toMatchObject({
    annotations: {
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'helm.sh/resource-policy': 'keep',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    },
  });
});

describe('config/kubernetes/cluster.yaml', () => {
  const pod = podOf(cluster);

  test('the Kubernetes manifests of a cluster replace a daemon only when another one is ready, and drain one machine at a time', () => {
    expect(ofKind(cluster, 'Deployment').spec).toMatchObject({
      replicas: 3,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    expect(ofKind(cluster, 'PodDisruptionBudget')).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
  });

  test('the Kubernetes manifests of a cluster spread the daemons over machines and zones, but start them on one machine too', () => {
    expect(pod).toMatchObject({
      topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(
        (topologyKey) => ({
          topologyKey,
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: expect.objectContaining(labels) },
        }),
      ),
    });
  });

  test('the Kubernetes manifests of a cluster need no volume but configuration and secrets, and ask the daemon whether it is ready', () => {
    const sources = pod.volumes.flatMap((volume) =>
      Object.keys(volume).filter((key) => key !== 'name'),
    );

    expect(sources).toEqual(['configMap', 'secret', 'secret']);
    expect(cluster.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
    expect(pod.containers[0]).toMatchObject({
      livenessProbe: { httpGet: { path: '/-/healthy', port: 'http' } },
      readinessProbe: { httpGet: { path: '/-/ready', port: 'http' } },
    });
  });

  test('the Kubernetes manifests of a cluster bring the password of the store as a file of a Secret, without the users of the store', () => {
    expect(configOf(cluster).cluster?.passwordFile).toBe('/var/run/secrets/valkey/password');
    expect(mountedAt(pod, '/var/run/secrets/valkey')).toMatchObject({
      secret: {
        secretName: 'cvm-quota-monitor-valkey',
        items: [{ key: 'password', path: 'password' }],
      },
    });
  });

  test('the Kubernetes manifests of a cluster allow what one daemon may reach, and the store', () => {
    const { spec: own } = ofKind(cluster, 'NetworkPolicy');
    const { spec: ofOne } = ofKind(one, 'NetworkPolicy');

    expect(own.ingress).toEqual(ofOne.ingress);
    expect(own.egress).toEqual([
      ...ofOne.egress,
      {
        to: [{ podSelector: { matchLabels: expect.objectContaining(valkeyLabels) } }],
        ports: [{ port: 6379 }],
      },
    ]);
  });
});

describe('the Valkey of config/kubernetes/cluster.yaml', () => {
  test('the daemons of a cluster find the Valkey of the example by its Service, and nothing else may', () => {
    const { cluster: shared } = configOf(cluster);
    expect(shared?.url).toBe(`redis://${ofKind(valkey, 'Service').metadata.name}:6379/0`);
    expect(ofKind(valkey, 'Service')).toMatchObject({ spec: { selector: valkeyLabels } });
    expect(ofKind(valkey, 'NetworkPolicy')).toMatchObject({
      spec: {
        podSelector: { matchLabels: valkeyLabels },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ podSelector: { matchLabels: labels } }] }],
      },
    });
  });

  test('the manifests of the Valkey of the example make every record durable before a daemon counts it, and evict none', () => {
    const { containers } = ofKind(valkey, 'StatefulSet').spec.template.spec;

    expect(containers[0].command[2]).toMatch(
      /--appendonly yes --appendfsync always .*--maxmemory-policy noeviction/s,
    );
  });
});

test.each(['operator', 'scrape-config', 'alertmanager-config'])(
  'config/kubernetes/%s.yaml satisfies the schemas of the Prometheus operator',
  async (name) => {
    expect(await schemaErrors(manifestsIn(name))).toEqual([]);
  },
);

test('the operator routes the alert that no daemon is there, in the namespace of its example', () => {
  const rules = read(base, 'operator.yaml');
  const { namespace } = ofKind(manifestsIn('alertmanager-config'), 'AlertmanagerConfig').metadata;

  expect(rules).toContain(
    `label_replace(absent(up{job="cvm-quota-monitor"}), "namespace", "${namespace}"`,
  );
});

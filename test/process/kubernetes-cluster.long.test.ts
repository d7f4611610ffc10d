/** The manifests of daemons that share accounts, and of their Valkey. Those of all daemons: kubernetes.long.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Manifest,
  type Pod,
  configOf,
  expectRestricted,
  hasKubectl,
  kustomize,
  mountedAt,
  ofKind,
  podOf,
  schemaErrors,
} from '../support/kubernetes.ts';

const cluster = join(import.meta.dirname, '../../config/kubernetes/cluster');
const read = (...path: string[]): string => readFileSync(join(cluster, ...path), 'utf8');
const labels = { 'app.kubernetes.io/name': 'cvm-quota-monitor' };

describe.runIf(hasKubectl())('config/kubernetes/cluster', () => {
  const manifests = kustomize(cluster);
  const pod = podOf(manifests);

  test('the Kubernetes manifests of a cluster replace a daemon only when another one is ready, and drain one machine at a time', () => {
    expect(ofKind(manifests, 'Deployment').spec).toMatchObject({
      replicas: 3,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    expect(ofKind(manifests, 'PodDisruptionBudget')).toMatchObject({
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
          labelSelector: { matchLabels: labels },
        }),
      ),
    });
  });

  test('the Kubernetes manifests of a cluster need no volume but configuration and secrets, and ask the daemon whether it is ready', () => {
    const sources = pod.volumes.flatMap((volume) =>
      Object.keys(volume).filter((key) => key !== 'name'),
    );

    expect(sources).toEqual(['configMap', 'secret', 'secret']);
    expect(manifests.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
    expect(pod.containers[0]).toMatchObject({
      livenessProbe: { httpGet: { path: '/-/healthy', port: 'http' } },
      readinessProbe: { httpGet: { path: '/-/ready', port: 'http' } },
    });
  });

  test('the Kubernetes manifests of a cluster bring the password of the store as a file of a Secret, without the users of the store', () => {
    expect(configOf(manifests).cluster?.passwordFile).toBe('/var/run/secrets/valkey/password');
    expect(mountedAt(pod, '/var/run/secrets/valkey')).toMatchObject({
      secret: {
        secretName: 'cvm-quota-monitor-valkey',
        items: [{ key: 'password', path: 'password' }],
      },
    });
  });

  test('the Kubernetes manifests of a cluster allow what one daemon may reach, and the store', () => {
    const { spec: own }: Manifest = parse(read('network-policy.yaml'));
    const { spec: ofOne }: Manifest = parse(read('../network-policy.yaml'));

    expect(own.ingress).toEqual(ofOne.ingress);
    expect(own.egress).toEqual([
      ...ofOne.egress,
      {
        to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'valkey' } } }],
        ports: [{ port: 6379 }],
      },
    ]);
  });

  test.each(['namespace.yaml', 'service.yaml', 'service-monitor.yaml'])(
    'the Kubernetes manifests of a cluster have the %s of one daemon',
    (name) => {
      expect(read(name)).toBe(read('..', name));
    },
  );
});

describe.runIf(hasKubectl())('config/kubernetes/cluster/valkey', () => {
  const store = kustomize(join(cluster, 'valkey'));
  const valkeyPod: Pod = ofKind(store, 'StatefulSet').spec.template.spec;

  test('the manifests of the Valkey of the example satisfy the schemas, and the restricted profile of their namespace', async () => {
    expect(await schemaErrors(store)).toEqual([]);
    expectRestricted(valkeyPod);
  });

  test('the manifests of the Valkey of the example are all listed in kustomization.yaml', () => {
    const { resources }: { resources: string[] } = parse(read('valkey/kustomization.yaml'));

    expect(readdirSync(join(cluster, 'valkey')).sort()).toEqual(
      ['kustomization.yaml', ...resources].sort(),
    );
  });

  test('the daemons of a cluster find the Valkey of the example by its Service, and nothing else may', () => {
    const name = { 'app.kubernetes.io/name': 'valkey' };

    const { cluster: shared } = configOf(kustomize(cluster));
    expect(shared?.url).toBe(`redis://${ofKind(store, 'Service').metadata.name}:6379/0`);
    expect(ofKind(store, 'Service')).toMatchObject({ spec: { selector: name } });
    expect(ofKind(store, 'NetworkPolicy')).toMatchObject({
      spec: {
        podSelector: { matchLabels: name },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ podSelector: { matchLabels: labels } }] }],
      },
    });
  });

  test('the manifests of the Valkey of the example make every record durable before a daemon counts it, and evict none', () => {
    const [container] = valkeyPod.containers;

    expect(container?.args).toEqual(
      expect.arrayContaining([
        '--appendonly yes',
        '--appendfsync always',
        '--maxmemory-policy noeviction',
        '--aclfile /etc/valkey/users.acl',
      ]),
    );
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });
});

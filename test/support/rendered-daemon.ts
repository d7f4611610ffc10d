/** The objects of a rendered kustomization, and the container of the daemon in them. */
import type { Manifest } from './kubectl.ts';
import type { ContainerSpec, PodSpec } from './pod-security.ts';

type Labels = Record<string, string>;

export interface Container extends ContainerSpec {
  image: string;
  args: string[];
  ports: { name: string; containerPort: number }[];
  resources: { limits: Labels };
  livenessProbe?: { httpGet: unknown };
  startupProbe?: { httpGet: unknown };
  volumeMounts?: { name: string; mountPath: string }[];
}

export interface Pod extends PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes: ({ name: string } & Record<string, unknown>)[];
}

export interface Deployment extends Manifest {
  spec: { replicas: number; template: { metadata: { labels: Labels }; spec: Pod } };
}

export interface ConfigMap extends Manifest {
  immutable?: boolean;
  data: Record<string, string>;
}

/** The selectors of pods: of a Service, a NetworkPolicy, a monitor. */
export interface Selecting extends Manifest {
  spec: { selector?: Labels | { matchLabels: Labels }; podSelector?: { matchLabels: Labels } };
}

/** The only object of a kind. */
export function ofKind(manifests: readonly Manifest[], kind: 'Deployment'): Deployment;
export function ofKind(manifests: readonly Manifest[], kind: 'ConfigMap'): ConfigMap;
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest;
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`not exactly one ${kind}`);
  return found;
}

export function containersOf({ initContainers = [], containers }: Pod): Container[] {
  return [...initContainers, ...containers];
}

export function daemonOf(pod: Pod): Container {
  const daemon = containersOf(pod).find(({ name }) => name === 'cvm-quota-monitor');
  if (daemon === undefined) throw new Error('no container cvm-quota-monitor');
  return daemon;
}

/** The volume of the daemon at a path. */
export function mountedAt(pod: Pod, path: string): Pod['volumes'][number] | undefined {
  const mount = daemonOf(pod).volumeMounts?.find(({ mountPath }) => mountPath === path);
  return pod.volumes.find(({ name }) => name === mount?.name);
}

/** The pod selectors of all objects. */
export function podSelectors(manifests: readonly Manifest[]): Labels[] {
  return manifests
    .filter((manifest): manifest is Selecting => 'spec' in manifest)
    .map(({ spec }) => spec.podSelector ?? spec.selector)
    .filter((selector) => selector !== undefined)
    .map((selector) =>
      typeof selector.matchLabels === 'object' ? selector.matchLabels : (selector as Labels),
    );
}

/** The named ports that objects refer to. */
export function namedPorts(manifests: readonly Manifest[]): Set<string> {
  const references = JSON.stringify(manifests).matchAll(/"(?:port|targetPort)":"(\w+)"/g);
  return new Set([...references].map(([, port]) => port!));
}

/** Manifests of Kubernetes: rendered by kubectl, and held against schemas and the Pod Security Standards. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { hasProgram } from './programs.ts';
import { AlertmanagerConfig } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1/AlertmanagerConfig';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment as DeploymentModel } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap as ConfigMapModel } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { symlink, writeFile } from 'node:fs/promises';
import { temporaryDirectory } from './directories.ts';
import { runProgram } from './run-program.ts';

/** An object of Kubernetes. Its form is not checked yet. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/**
 * Whether {@link kustomize} can run: kubectl is installed, or can be extracted from the Debian package. The
 * package is never installed, because it conflicts with the kubectl of Kubernetes' own repository.
 */
export function hasKubectl(): boolean {
  return onPath('kubectl') || hasProgram('apt-get', 'apt');
}

/** The output of `kubectl kustomize`, read with the YAML version that kubectl uses. */
export function kustomize(directory: string): Manifest[] {
  const program = onPath('kubectl') ? 'kubectl' : debianKubectl();
  const rendered = execFileSync(program, ['kustomize', directory], { encoding: 'utf8' });
  return parseAllDocuments(rendered, { version: '1.1' }).map((document) => {
    const manifest: Manifest = document.toJS();
    return manifest;
  });
}

function onPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function debianKubectl(): string {
  const directory = join(tmpdir(), 'cvm-quota-monitor-kubectl');
  const program = join(directory, 'usr/bin/kubectl');
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  execFileSync('apt-get', ['download', 'kubernetes-client'], { cwd: directory, stdio: 'ignore' });
  const archive = readdirSync(directory).find((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['--extract', join(directory, archive ?? ''), directory]);
  return program;
}

const operator = '@kubernetes-models/prometheus-operator';

/** Each allowed kind, and the module with its schema. */
const kinds = {
  AlertmanagerConfig: [
    AlertmanagerConfig,
    `${operator}/monitoring.coreos.com/v1alpha1/AlertmanagerConfig`,
  ],
  ConfigMap: [ConfigMapModel, 'kubernetes-models/v1/ConfigMap'],
  Deployment: [DeploymentModel, 'kubernetes-models/apps/v1/Deployment'],
  Namespace: [Namespace, 'kubernetes-models/v1/Namespace'],
  NetworkPolicy: [NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'],
  PersistentVolumeClaim: [PersistentVolumeClaim, 'kubernetes-models/v1/PersistentVolumeClaim'],
  PodDisruptionBudget: [PodDisruptionBudget, 'kubernetes-models/policy/v1/PodDisruptionBudget'],
  PodMonitor: [PodMonitor, `${operator}/monitoring.coreos.com/v1/PodMonitor`],
  PrometheusRule: [PrometheusRule, `${operator}/monitoring.coreos.com/v1/PrometheusRule`],
  Service: [Service, 'kubernetes-models/v1/Service'],
  ServiceMonitor: [ServiceMonitor, `${operator}/monitoring.coreos.com/v1/ServiceMonitor`],
  StatefulSet: [StatefulSet, 'kubernetes-models/apps/v1/StatefulSet'],
} as const;

const isKnown = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind);

/** The schema of PrometheusRule does not have this field. The operator has it since 0.64. */
const newerThanSchemas = new Set(['keep_firing_for']);

/** The mistakes in the values of one manifest: types, required fields, enums, quantities. */
export function schemaErrors(manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest;
  if (!isKnown(kind)) return [`${kind} ${metadata.name}: no schema`];
  const [Model] = kinds[kind];
  if (apiVersion !== Model.apiVersion) return [`${kind} ${metadata.name}: not in ${apiVersion}`];
  try {
    new Model(manifest as never).validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/**
 * Fields that no schema has. A cluster drops these, at most with a warning, and the schemas accept them. The
 * TypeScript compiler refuses them if a manifest is a literal of the type of its schema.
 */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const known = manifests.filter(({ kind }) => isKnown(kind));
  const source = known.map((manifest, index) => {
    const [, module] = kinds[manifest.kind as keyof typeof kinds];
    const type = `import('${module}').I${manifest.kind}`;
    const literal = JSON.stringify(manifest, (key: string, value: unknown) =>
      newerThanSchemas.has(key) ? undefined : value,
    );
    return `export const manifest${index}: ${type} = ${literal};\n`;
  });
  return compileErrors(source.join(''));
}

/** The errors of the compiler about a module, one per line. */
async function compileErrors(text: string): Promise<string[]> {
  const modules = join(import.meta.dirname, '../../node_modules');
  const directory = await temporaryDirectory();
  await symlink(modules, join(directory, 'node_modules'));
  const file = join(directory, 'manifests.ts');
  await writeFile(file, text);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  const scope = ['--ignoreConfig', '--lib', 'es5', '--types', '', '--pretty', 'false'];
  try {
    await runProgram(join(modules, '.bin/tsc'), [...options, ...scope, file]);
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.trim().split(/\n(?! )/);
  }
}

export interface SecurityContext {
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  privileged?: boolean;
  procMount?: string;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seccompProfile?: { type: string };
  sysctls?: unknown[];
}

export interface ContainerSpec {
  name: string;
  ports?: { containerPort: number; hostPort?: number }[];
  securityContext?: SecurityContext;
}

export interface PodSpec {
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  securityContext?: SecurityContext;
  containers: ContainerSpec[];
  initContainers?: ContainerSpec[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
}

const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** The violations of the profile "restricted" of the Pod Security Standards in a pod on Linux. Empty for an allowed pod. */
export function restrictedViolations(pod: PodSpec): string[] {
  const hostNamespaces = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter(
    (namespace) => pod[namespace] === true,
  );
  const volumes = (pod.volumes ?? []).flatMap(({ name, ...source }) =>
    Object.keys(source)
      .filter((type) => !allowedVolumes.has(type))
      .map((type) => `volume ${name}: ${type}`),
  );
  const sysctls = pod.securityContext?.sysctls === undefined ? [] : ['sysctls'];
  const containers = [...(pod.initContainers ?? []), ...pod.containers].flatMap((container) =>
    containerViolations(container, pod.securityContext ?? {}).map(
      (violation) => `container ${container.name}: ${violation}`,
    ),
  );
  return [...hostNamespaces, ...volumes, ...sysctls, ...containers];
}

/** The settings of a container override those of its pod. */
function containerViolations(container: ContainerSpec, pod: SecurityContext): string[] {
  const own = container.securityContext ?? {};
  const { runAsNonRoot, runAsUser, seccompProfile } = { ...pod, ...own };
  const rules: Record<string, boolean> = {
    hostPort: (container.ports ?? []).every(({ hostPort = 0 }) => hostPort === 0),
    privileged: own.privileged !== true,
    procMount: (own.procMount ?? 'Default') === 'Default',
    allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
    runAsNonRoot: runAsNonRoot === true,
    runAsUser: runAsUser !== 0,
    seccompProfile: ['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type ?? ''),
    'capabilities.drop': own.capabilities?.drop?.includes('ALL') === true,
    'capabilities.add': (own.capabilities?.add ?? []).every((name) => name === 'NET_BIND_SERVICE'),
  };
  return Object.keys(rules).filter((rule) => rules[rule] === false);
}

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

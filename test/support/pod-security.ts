/** The profile "restricted" of the Kubernetes Pod Security Standards, for pods on Linux. */

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

/** The violations of the profile in a pod. Empty for an allowed pod. */
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

# The daemon on Node, and nothing else: the final stage has no package manager and no shell.
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --tag cvm-quota-monitor .
# The program is the same for each architecture, so the machine builds it on its own. An image for another
# architecture takes only node and its libraries from there. Nothing of them runs during the build.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
# The libraries that node needs, without programs.
ARG BASE_IMAGE=gcr.io/distroless/cc-debian13:nonroot@sha256:54df941ed0d06a1bd95ef5e0ce391fd8d9f94b64782dc9a60062727849ee3f97

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without scripts: `prepare` would build, and the source is not here yet.
RUN npm ci --ignore-scripts
COPY .config/bundle.js ./.config/
COPY src ./src
# The program has its libraries in it. Source maps serve who develops; they are a third of what would be shipped.
RUN node .config/bundle.js && find dist -name '*.map' -delete && mkdir /state
# BuildKit lists the libraries in the bill of materials. It would not find them in the final stage.
ARG BUILDKIT_SBOM_SCAN_STAGE=true
RUN npm prune --omit=dev

# The compiled code of the program, so that a start need not compile it. Node.js writes it at the end of a
# process, and reads it only with the same user, flags and architecture, and from the same path.
FROM build AS compiled
COPY config/demo.yaml ./config/
RUN mkdir /compiled && chown 10042:10042 /compiled
USER 10042:10042
ENV NODE_OPTIONS="--max-semi-space-size=4 --v8-pool-size=1" NODE_COMPILE_CACHE=/compiled
RUN timeout 5 node --heap-growing-percent=50 dist/main.js demo --web.listen-address=127.0.0.1:0 >/dev/null || test $? = 124 && chmod -R a+rX /compiled

FROM ${NODE_IMAGE} AS node

FROM ${BASE_IMAGE}
COPY --from=node /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY LICENSE package.json ./
# The scenario of demo and emulate.
COPY config/demo.yaml ./config/
COPY --from=build /app/dist ./dist
COPY --from=compiled --chown=0:0 /compiled ./compiled
COPY --from=build --chown=10042:10042 /state /var/lib/cvm-quota-monitor

# No user of that number needs to exist: Kubernetes' runAsNonRoot wants a number, and a high one
# is nobody on the host. HOME is set because there is no passwd entry to take it from.
USER 10042:10042
ENV NODE_ENV=production \
  HOME=/var/lib/cvm-quota-monitor
# A small young generation and one thread beside the main one to collect garbage with: less memory, and
# as fast on the core or two that a sidecar has.
ENV NODE_OPTIONS="--max-semi-space-size=4 --v8-pool-size=1" \
  NODE_COMPILE_CACHE=/app/compiled
VOLUME /var/lib/cvm-quota-monitor
EXPOSE 10042

# The heap grows by half at most before a full collection. On a machine with much memory, V8 would let it grow to
# four times, so many short connections, or the first cycle of many targets, would raise the memory by half. NODE_OPTIONS does not take this flag.
ENTRYPOINT ["node", "--heap-growing-percent=50", "/app/dist/main.js"]
CMD ["serve", "--config.file=/etc/cvm-quota-monitor/config.yaml", "--storage.path=/var/lib/cvm-quota-monitor"]
# No HEALTHCHECK: the only program here that could ask is a second node, of 84 MB every 30 seconds. Kubernetes
# asks /-/healthy itself, and Prometheus notices a daemon that does not answer.

# Last, so that a new revision leaves every layer above in the cache.
ARG REVISION=unknown
ARG CREATED=unknown
ENV CVM_QUOTA_MONITOR_REVISION=${REVISION}
LABEL org.opencontainers.image.title="cvm-quota-monitor" \
  org.opencontainers.image.description="Watches the quotas and launch templates of cloud compute accounts and serves them to Prometheus" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.source="https://github.com/example-org/cvm-quota-monitor" \
  org.opencontainers.image.licenses="Apache-2.0"

# The daemon on Node, and nothing else: no package manager runs in the final stage, so that the
# image builds for another architecture without emulating it.
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --tag cvm-quota-monitor .
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without scripts: `prepare` would build, and the source is not here yet.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
# Types and source maps serve who develops; they are a quarter of what would be shipped.
RUN npm run build -- --declaration false --sourceMap false \
  && npm prune --omit=dev \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.?ts' \) -delete \
  && mkdir /state

# The compiled code of the program, so that a start need not compile it. Node.js writes it at the end of a
# process, and reads it only with the same user and flags, and from the same path.
FROM build AS compiled
COPY config/demo.yaml ./config/
RUN mkdir /compiled && chown 10042:10042 /compiled
USER 10042:10042
ENV NODE_OPTIONS="--max-semi-space-size=4 --v8-pool-size=1" NODE_COMPILE_CACHE=/compiled
RUN timeout 5 node dist/main.js demo --web.listen-address=127.0.0.1:0 >/dev/null || test $? = 124 && chmod -R a+rX /compiled

FROM ${NODE_IMAGE}
WORKDIR /app
COPY LICENSE package.json ./
# The scenario of demo and emulate.
COPY config/demo.yaml ./config/
COPY --from=build /app/node_modules ./node_modules
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

ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve", "--config.file=/etc/cvm-quota-monitor/config.yaml", "--storage.path=/var/lib/cvm-quota-monitor"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:10042/-/healthy').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Last, so that a new revision leaves every layer above in the cache.
ARG REVISION=unknown
ENV CVM_QUOTA_MONITOR_REVISION=${REVISION}
LABEL org.opencontainers.image.title="cvm-quota-monitor" \
  org.opencontainers.image.description="Watches the quotas and launch templates of cloud compute accounts and serves them to Prometheus" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0"

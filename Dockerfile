# Tributary as a container image: docker build -t tributary .
# compose.yaml runs it beside PostgreSQL, ClickHouse, Kafka, and a bucket; docs/scaling.md says how.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY . .
# As npm start does.
RUN npm install --no-save --ignore-scripts --no-audit --no-fund --omit=dev \
  && node scripts/build-web.mjs \
  && node scripts/build-server.mjs

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  TRIBUTARY_DATA_DIR=/data \
  UV_THREADPOOL_SIZE=16 \
  MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build --chown=node:node /app /app
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME ["/data"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=16", "apps/server/dist/main.mjs"]

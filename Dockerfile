# syntax=docker/dockerfile:1

# Build stage: tools that the program does not need at run time.
FROM node:24.20.0-trixie-slim AS build
WORKDIR /app
# For native modules without a prebuilt binary for this platform.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY jobs jobs
COPY reports reports
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24.20.0-trixie-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE quotekeeper.example.yaml .env.example ./
# The configuration is mounted next to the data folder, so that ./data refers to the volume.
ENV QUOTEKEEPER_CONFIG=/srv/quotekeeper/quotekeeper.yaml
# A new named volume takes its owner from the folder that it is mounted on.
RUN mkdir -p /srv/quotekeeper/data /srv/quotekeeper/backups \
 && chown -R node:node /srv/quotekeeper \
 && chmod 0700 /srv/quotekeeper/data /srv/quotekeeper/backups \
 && chmod 0755 /app/dist/src/cli/main.js \
 && ln -s /app/dist/src/cli/main.js /usr/local/bin/quotekeeper
USER node
WORKDIR /srv/quotekeeper
VOLUME /srv/quotekeeper/data
EXPOSE 4780
# Liveness: an orchestrator that restarts unhealthy containers must not do so while the queue or the marketplace is down.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4780/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["start"]

# The service with its pages. Settings come from the environment (docs/settings.md); data is in /data.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY . .
# The root's dependencies are for building.
RUN node scripts/build.mjs && npm pkg delete dependencies && npm prune --omit=dev --no-save --loglevel=error

FROM node:22-bookworm-slim
# For acoustic fingerprints of AAC, M4A and AIFF files; without it they are registered without one.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libchromaprint-tools \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn-*
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data UV_THREADPOOL_SIZE=8
# No sources: the bundle contains them, and finds packages with binaries in node_modules.
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/packages/server/package.json /app/packages/server/package.json
COPY --from=build /app/packages/server/migrations /app/packages/server/migrations
COPY --from=build /app/packages/server/fonts /app/packages/server/fonts
COPY --from=build /app/packages/server/bundle /app/packages/server/bundle
COPY --from=build /app/packages/web/dist/page /app/packages/web/dist/page
COPY --from=build /app/packages/web/dist/docs /app/packages/web/dist/docs
RUN install --directory --owner=node --group=node /data
WORKDIR /app
USER node
VOLUME /data
EXPOSE 8080
# Worker processes of the media decoders need /bin/sh, which the base image has.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "packages/server/bundle/main.js"]

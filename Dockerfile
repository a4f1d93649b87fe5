# The service and its web application, built here. Made for servers (KAFKA_BROKERS, CLICKHOUSE_URL). The embedded
# engine takes half a gigabyte and is left out; --build-arg TAKT_EMBEDDED=1 keeps it, for an image that runs alone.
FROM node:22-slim

ARG TAKT_EMBEDDED=0
ENV NODE_ENV=production
WORKDIR /app

# `npm install`, not `npm ci`: the lock may leave out the packages of other platforms.
COPY package.json package-lock.json ./
RUN npm install --omit=dev --no-audit --no-fund && npm cache clean --force \
  && if [ "$TAKT_EMBEDDED" != 1 ]; then rm -rf node_modules/chdb node_modules/@chdb; fi

COPY . .

# A service that may not write here cannot build itself at its start.
RUN npm run build

RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080

ENV TAKT_HOST=0.0.0.0 TAKT_DATA_DIR=/data
# As `npm start`: buffers that are freed go back to the system.
ENV MALLOC_MMAP_THRESHOLD_=131072
# A query of the embedded engine takes a thread of Node's pool until it ends.
ENV UV_THREADPOOL_SIZE=16
CMD ["node", "--max-semi-space-size=64", "start.cjs", "main.ts"]

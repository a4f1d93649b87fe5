# The service and its page, run from source by tsx: nothing is compiled.
FROM node:22-slim

ENV NODE_ENV=production
WORKDIR /app

# `npm install`, not `npm ci`: the lock may leave out the packages of other platforms.
COPY package.json package-lock.json ./
RUN npm install --omit=dev --no-audit --no-fund && npm cache clean --force

COPY . .

RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080

ENV TAKT_HOST=0.0.0.0 TAKT_DATA_DIR=/data
CMD ["node", "--import", "tsx", "main.ts"]

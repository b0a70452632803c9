# pointage as a service: `pointage worker`, `pointage serve`, or any other command.
#
#   docker build --tag pointage .
#   docker run --rm --init --env DATABASE_URL --volume ./pointage.config.json:/etc/pointage/pointage.config.json:ro pointage doctor
#
# There is no embedded PostgreSQL in it: a container has no disk of its own to keep a mirror on. Give DATABASE_URL.
# It runs as an unprivileged user and writes nowhere but in /tmp and in volumes, so that its root file system can be
# read-only.

FROM node:24-bookworm-slim AS packages
WORKDIR /opt/pointage
COPY package.json package-lock.json .npmrc ./
# What is left out by omit=optional is the embedded PostgreSQL; by omit=dev, Node.js itself, which the image has already.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
# Numbers, so that Kubernetes can see that it is nobody's root.
RUN groupadd --gid 10001 pointage \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pointage \
  && install --directory --owner=10001 --group=10001 /srv/statements /opt/pointage
WORKDIR /opt/pointage
COPY --from=packages /opt/pointage/node_modules node_modules
COPY package.json LICENSE ./
COPY sql sql
COPY reports-templates reports-templates
COPY docker/check-health.mjs docker/keep-compiled.mjs docker/
COPY src src
# What is compiled at a start is kept beside the packages, by user: a container that starts finds it there.
RUN ln -s /opt/pointage/src/service/cli/main.js /usr/local/bin/pointage \
  && install --directory --owner=10001 --group=10001 node_modules/.cache
USER 10001:10001
RUN node docker/keep-compiled.mjs && pointage --help > /dev/null
WORKDIR /tmp
ENV NODE_ENV=production \
  HOME=/tmp \
  POINTAGE_CONFIG=/etc/pointage/pointage.config.json \
  HEALTH_URL=http://127.0.0.1:8080/ready
EXPOSE 8080 9090
# Of `pointage serve`; a worker's is HEALTH_URL=http://127.0.0.1:9090/ready with telemetry.port 9090.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "/opt/pointage/docker/check-health.mjs"]
ENTRYPOINT ["pointage"]
CMD ["--help"]

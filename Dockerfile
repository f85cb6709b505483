# The server in a container: docs/install.md says how to start it.
#   docker build --tag kensaku-search .
# BASE may name the same image by its digest.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /source
# Packages first: a change of the source does not install them again.
COPY requirements/build.txt requirements/container.txt requirements/
RUN python -m pip install --require-hashes --requirement requirements/build.txt \
 && python -m venv --without-pip /app \
 && python -m pip --python /app/bin/python install --require-hashes --requirement requirements/container.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN python -m hatchling build --target wheel --directory /wheel \
 && python -m pip --python /app/bin/python install --no-deps --no-index /wheel/*.whl

FROM ${BASE}
# A fixed uid: whoever mounts a folder of the host knows to whom it must belong.
RUN groupadd --gid 10001 kensaku \
 && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin kensaku \
 && install --directory --mode 700 --owner 10001 --group 10001 /data
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH \
    HOME=/data \
    KENSAKU_HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /data
VOLUME /data
USER 10001:10001
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --start-interval=1s \
  CMD ["python", "-I", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8787/healthz', timeout=4)"]
ENTRYPOINT ["kensaku"]
CMD ["serve", "--host", "0.0.0.0"]

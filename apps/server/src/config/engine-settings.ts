import { z } from 'zod'
import { brokers, databaseUrl, setting, text, url, webAddress, whole } from './setting-schemas.ts'

/** The variables of engines by address, and of the processes that share them. */
export const engineSettings = {
  DATABASE_URL: setting(
    databaseUrl,
    undefined,
    'External PostgreSQL: `postgres://user:password@host:5432/database` or `postgres://user@/database?host=/socket/folder`. The user must be allowed to create schemas in it.',
    'embedded',
  ),
  CLICKHOUSE_URL: setting(
    url('http:', 'https:'),
    undefined,
    'External ClickHouse: `http://user:password@host:8123/database`. The user must be allowed to set `max_execution_time`, `max_memory_usage`, and `max_bytes_to_read`.',
    'embedded',
  ),
  KAFKA_BROKERS: setting(
    brokers,
    undefined,
    'External Kafka (3.1 or later) that holds the log: `kafka-1:9092,kafka-2:9092`. Several processes can collect into it. See [Kafka](operations.md#kafka).',
    'embedded',
  ),
  KAFKA_TOPIC_PREFIX: setting(
    text.regex(/^[\w.-]{1,100}$/, 'must be at most 100 letters, digits, dots, hyphens, and underscores'),
    'tributary',
    'Begins the names of the topics, and of the transactional IDs.',
  ),
  TRIBUTARY_LOST_FOLDER: setting(
    text.min(1),
    undefined,
    'ID of the data folder that used the log on Kafka before and is lost. Only then can a process with another folder take the log over. See [a lost data folder](operations.md#a-lost-data-folder).',
    'none',
  ),
  TRIBUTARY_PARTITION_GROUPS: setting(
    whole(1, 32),
    '1',
    'In how many parts events are processed and delivered: as many processes can share that. The same in all processes that do. See [scaling](scaling.md#share-processing).',
  ),
  KAFKA_TLS: setting(z.enum(['on', 'off'], 'must be on or off'), 'off', 'Whether the brokers are reached by TLS.'),
  KAFKA_TLS_CA_FILE: setting(
    text.min(1),
    undefined,
    "PEM file of the authority that signed the brokers' certificates.",
    'those that Node.js trusts',
  ),
  KAFKA_TLS_CERT_FILE: setting(
    text.min(1),
    undefined,
    'PEM file of the certificate that Tributary shows the brokers, with `KAFKA_TLS_KEY_FILE`.',
    'none',
  ),
  KAFKA_TLS_KEY_FILE: setting(text.min(1), undefined, 'PEM file of the key of that certificate.', 'none'),
  KAFKA_SASL_MECHANISM: setting(
    z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER']),
    undefined,
    'How Tributary signs in to the brokers: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`, or `OAUTHBEARER`.',
    'no sign-in',
  ),
  KAFKA_SASL_USERNAME: setting(text.min(1), undefined, 'User name, for `PLAIN` and `SCRAM`.', 'none'),
  KAFKA_SASL_PASSWORD: setting(z.string().min(1), undefined, 'Password of that user.', 'none'),
  KAFKA_SASL_TOKEN_URL: setting(
    url('http:', 'https:'),
    undefined,
    'For `OAUTHBEARER`: URL that gives tokens for client credentials (OAuth 2.0).',
    'none',
  ),
  KAFKA_SASL_CLIENT_ID: setting(text.min(1), undefined, 'Client ID for that URL.', 'none'),
  KAFKA_SASL_CLIENT_SECRET: setting(z.string().min(1), undefined, 'Secret of that client.', 'none'),
  KAFKA_SASL_SCOPE: setting(text.min(1), undefined, 'Scope of the tokens.', 'none'),
  BLOBS_S3_BUCKET: setting(
    text.regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i, 'must be the name of a bucket, such as tributary-pictures'),
    undefined,
    'Bucket of S3 or S3-compatible storage that holds uploaded pictures. See [Pictures in a bucket](operations.md#pictures-in-a-bucket).',
    '`blobs/` in the data folder',
  ),
  BLOBS_S3_REGION: setting(
    text.regex(/^[a-z0-9-]+$/i, 'must be a region such as eu-central-1'),
    'us-east-1',
    "The bucket's region. Storage other than AWS often uses `us-east-1` or `auto`.",
  ),
  BLOBS_S3_ENDPOINT: setting(
    webAddress.refine((value) => !/[?#]/.test(value), 'must be a URL without a query'),
    undefined,
    'URL of S3-compatible storage such as MinIO, R2, or Ceph. It can be inside your network.',
    'AWS',
  ),
  BLOBS_S3_ACCESS_KEY_ID: setting(text.min(1), undefined, 'Access key ID of a user of the bucket.', 'none'),
  BLOBS_S3_SECRET_ACCESS_KEY: setting(text.min(1), undefined, 'Secret access key of that user.', 'none'),
  BLOBS_S3_PREFIX: setting(
    text.regex(
      /^(?:(?!\.{1,2}(?:\/|$))[\w.-]{1,100}(?:\/(?!$)|$)){0,5}$/,
      'must be names of letters, digits, dots, hyphens, and underscores, joined by slashes',
    ),
    '',
    'Folder of the bucket that keys begin with, such as `tributary`.',
    'the top of the bucket',
  ),
  BLOBS_S3_PATH_STYLE: setting(
    z.enum(['on', 'off'], 'must be on or off'),
    'off',
    'Whether the bucket is in the path of URLs, as MinIO and Ceph expect: `on` is endpoint/bucket, `off` is bucket.endpoint.',
  ),
}

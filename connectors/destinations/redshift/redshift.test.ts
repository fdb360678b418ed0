import { gunzipSync } from 'node:zlib'
import { createPostgresPeer } from '@tributary/test-kit'
import { inject } from 'vitest'
import { redshiftCatalogs, startRedshiftProxy } from '../../wire/redshift/testing-redshift.ts'
import { startTestBucket, type TestBucket } from '../../wire/s3/testing-storage.ts'
import { type ConformancePeer, warehouseConformance } from '../../wire/warehouse/testing-conformance.ts'
import { redshift } from './definition.ts'

/** Loads an object to the stage, as COPY does (https://docs.aws.amazon.com/redshift/latest/dg/r_COPY.html). */
const copied = async (
  statement: string,
  bucket: TestBucket,
  insert: (table: string, rows: Record<string, unknown>[]) => Promise<void>,
): Promise<string> => {
  const [, table, name, key] = /^copy (\S+) \([^)]+\)\nfrom 's3:\/\/([^/']+)\/([^']+)' /.exec(statement) ?? []
  const held = bucket.objects.get(key ?? '')
  const { access_key_id, secret_access_key, region } = bucket.access
  const keys = `access_key_id '${access_key_id}' secret_access_key '${secret_access_key}' region '${region}'`
  if (table === undefined || name !== bucket.access.bucket || held === undefined || !statement.includes(keys))
    return 'select 1 / 0'
  const lines = gunzipSync(held.bytes).toString().split('\n').slice(0, -1)
  await insert(
    table,
    lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  )
  return 'select 1'
}

/** PostgreSQL behind a stand-in of Redshift, which loses statements or answers. */
const openPeer = async (isCopied: boolean): Promise<ConformancePeer> => {
  const peer = await createPostgresPeer(inject('postgresUrl'))
  const bucket = await startTestBucket()
  await peer.query(redshiftCatalogs)
  // Redshift reads backslashes in literals.
  await peer.query(`alter role ${peer.access.user} set standard_conforming_strings = off`)
  await peer.query(`alter role ${peer.access.user} set escape_string_warning = off`)
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let statements = 0
  const proxy = await startRedshiftProxy(peer.access.port, {
    faultOf: () => {
      statements++
      return --left === 0 ? when : undefined
    },
    before: (statement) =>
      statement.startsWith('copy ')
        ? copied(statement, bucket, async (table, rows) => {
            await peer.query(
              `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`,
              [JSON.stringify(rows)],
            )
          })
        : statement,
  })
  let schemas = 0
  const { path_style, endpoint, ...access } = bucket.access
  return {
    settings: () =>
      Promise.resolve({
        ...peer.access,
        port: proxy.port,
        tls: 'off',
        schema: `s${++schemas}`,
        ...(isCopied ? { ...access, endpoint, path_style } : {}),
      }),
    query: (settings, sql) =>
      peer.query(sql.replace(/\{(\w+)\}/g, (_, table) => `"${String(settings.schema)}"."${table}"`)),
    failAt: (statement, moment) => {
      left = statement
      when = moment
    },
    statements: () => {
      const found = statements
      statements = 0
      return found
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await bucket[Symbol.asyncDispose]()
      await peer[Symbol.asyncDispose]()
    },
  }
}

const forms = {
  column: (name: string) => `"${name}"`,
  number: (name: string) => `trim_scale("${name}")::text`,
  time: (name: string) => `to_char("${name}" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`,
  seconds: (name: string) => `floor(extract(epoch from "${name}"))::bigint`,
  flag: (name: string) => `"${name}"::text`,
  member: (name: string, member: string) => `("${name}" ->> '${member}')`,
}

warehouseConformance('Redshift', redshift, forms, () => openPeer(false))
warehouseConformance('Redshift with a bucket', redshift, forms, () => openPeer(true))

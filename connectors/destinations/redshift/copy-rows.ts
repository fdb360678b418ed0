import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  outcomeOfAnswer,
  RetryableError,
  sendRequest,
} from '@tributary/connector-kit'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { literal } from '../../wire/redshift/super.ts'
import { failureWords } from '../../wire/s3/failures.ts'
import type { BucketAccess } from '../../wire/s3/settings.ts'
import { signRequest } from '../../wire/s3/sign.ts'
import { type StageRow, stageTable } from '../../wire/warehouse/dialect.ts'
import { stageNames } from './insert-rows.ts'
import type { RedshiftSettings } from './settings.ts'

const compress = promisify(gzip)

/** Returns the bucket of the settings; undefined without one. Throws a ConfigurationError if its keys are missing. */
export const bucketOf = (settings: RedshiftSettings): BucketAccess | undefined => {
  const { bucket, region = '', access_key_id = '', secret_access_key = '', endpoint, path_style } = settings
  if (bucket === undefined || bucket === '') return undefined
  if (access_key_id === '' || secret_access_key === '' || region === '')
    throw new ConfigurationError('The S3 bucket needs a region, an access key ID, and a secret access key')
  return { bucket, region, access_key_id, secret_access_key, endpoint, path_style }
}

/** Writes or deletes an object. Rejects with a DeliveryError. */
const changeObject = async (
  context: DeliverContext<RedshiftSettings>,
  access: BucketAccess,
  object: { method: 'PUT' | 'DELETE'; key: string; body?: Uint8Array },
): Promise<void> => {
  const { method, key, body } = object
  const more: Record<string, string> = {}
  if (body !== undefined) more['content-md5'] = createHash('md5').update(body).digest('base64')
  const { url, headers } = await signRequest(
    access,
    { method, key, headers: more, ...(body === undefined ? {} : { body }) },
    context.clock(),
  )
  const request = { method, url, headers, timeoutMs: 60_000, ...(body === undefined ? {} : { body }) }
  const hidden = { headers: ['authorization'], texts: [access.secret_access_key] }
  const { answer } = await sendRequest(context, request, hidden)
  const outcome = outcomeOfAnswer(answer, context.clock())
  if (outcome.kind === 'delivered') return
  const { status, body: text, headers: found } = answer
  const failure = failureWords({ status, body: text, bucketRegion: found['x-amz-bucket-region'] }, access.region)
  const words = `The S3 bucket ${access.bucket} refused the request: ${failure.text}`
  if (outcome.kind === 'retry' || failure.isLater)
    throw new RetryableError(
      words,
      outcome.kind === 'retry' && outcome.retryAfterMs !== undefined ? { retryAfterMs: outcome.retryAfterMs } : {},
    )
  throw new ConfigurationError(words)
}

/** Returns the part of COPY with which the cluster reads the bucket: a role, or the keys. */
const authorization = ({ copy_role }: RedshiftSettings, access: BucketAccess): string => {
  if (copy_role === 'default') return 'iam_role default'
  if (copy_role !== undefined && copy_role !== '') return `iam_role ${literal(copy_role)}`
  return `access_key_id ${literal(access.access_key_id.trim())} secret_access_key ${literal(access.secret_access_key.trim())}`
}

/** Returns the statement that copies an object to the stage. It can have the secret key, so it is never shown. */
export const copyStatement = (settings: RedshiftSettings, access: BucketAccess, key: string): string =>
  `copy ${quoted(settings.schema)}.${quoted(stageTable)} (${stageNames})
from ${literal(`s3://${access.bucket}/${key}`)} ${authorization(settings, access)} region ${literal(access.region)}
gzip format as json 'auto' compupdate off statupdate off`

/** Returns a row as a line of JSON, with its values as an object. */
const lineOf = ({ row_values, ...row }: StageRow): string =>
  `${JSON.stringify(row).slice(0, -1)},"row_values":${row_values}}`

const folderOf = (prefix: string): string =>
  prefix
    .split('/')
    .filter((part) => part !== '')
    .map((part) => `${part}/`)
    .join('')

/** Returns a key that no other object has. */
export const newKey = ({ prefix }: Pick<RedshiftSettings, 'prefix'>): string =>
  `${folderOf(prefix)}${randomUUID()}.json.gz`

/**
 * Stages rows with an object in the bucket, which is deleted afterwards. What cannot be deleted stays in the bucket, and
 * does no harm. Rejects with a DeliveryError.
 */
export const copyRows = async (
  context: DeliverContext<RedshiftSettings>,
  access: BucketAccess,
  rows: readonly StageRow[],
  run: (statement: string) => Promise<unknown>,
): Promise<void> => {
  const key = newKey(context.settings)
  const body = await compress(`${rows.map(lineOf).join('\n')}\n`)
  await changeObject(context, access, { method: 'PUT', key, body })
  try {
    await run(copyStatement(context.settings, access, key))
  } finally {
    await changeObject(context, access, { method: 'DELETE', key }).catch((error: unknown) => {
      if (!(error instanceof DeliveryError)) throw error
      context.logger.warn({ reason: error.message }, 'an object of a bucket could not be deleted')
    })
  }
}

/** Writes and deletes an object of the bucket. Rejects with a DeliveryError. */
export const tryBucket = async (context: DeliverContext<RedshiftSettings>, access: BucketAccess): Promise<void> => {
  const key = newKey(context.settings)
  await changeObject(context, access, { method: 'PUT', key, body: await compress('\n') })
  await changeObject(context, access, { method: 'DELETE', key })
}

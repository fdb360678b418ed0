import { createHash, randomBytes } from 'node:crypto'
import type { Logger } from '@tributary/kernel'
import { checkContentType, InvalidBlob, keyParts } from '../keys.ts'
import { type Blobs, BlobsUnavailable } from '../port.ts'
import { type BucketClientOptions, createBucketClient } from './bucket-client.ts'

/** Maximum bytes of an object, which is in memory as a whole. */
const maxBlobBytes = 64 * 1024 * 1024
const maxPageBytes = 8 * 1024 * 1024
/** The object that `check` writes. It stays, so that several starting processes do not delete each other's object. */
const checkKey = 'tributary-check'
const checkBody = Buffer.from('Tributary can write here.\n')

export type S3BlobsOptions = BucketClientOptions & {
  /** The common prefix of all keys, as names joined by slashes; may be empty. */
  prefix: string
  logger: Logger
  /** Maximum pages of a list, with 1,000 keys each. */
  maxPages?: number
}

export type S3Blobs = Blobs & {
  /** Performs every operation once. Rejects with BlobsUnavailable, whose message names the operation that fails. */
  check(): Promise<void>
  /** Whether the bucket responds now. */
  answers(): Promise<boolean>
}

/** Logs once when the bucket becomes unavailable, and once when it is back. */
const createAwayWatch = (bucket: string, logger: Logger) => {
  let away = false
  return {
    away: () => away,
    async of<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work()
        if (away) logger.info({ bucket }, 'the bucket for pictures works again')
        away = false
        return result
      } catch (error) {
        if (!away && error instanceof BlobsUnavailable)
          logger.error({ bucket, error: error.message }, 'the bucket for pictures does not work')
        away ||= error instanceof BlobsUnavailable
        throw error
      }
    },
  }
}

const isValidKey = (key: string): boolean => {
  try {
    return keyParts(key).length > 0
  } catch {
    return false
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const pageOf = (language: S3BlobsOptions['language'], xml: string): ReturnType<typeof language.pageOf> => {
  try {
    return language.pageOf(xml)
  } catch (error) {
    throw new BlobsUnavailable(textOf(error))
  }
}

/** Performs one operation of the check. If it fails or resolves to false, rejects with an error that names it. */
const checkStep = async (bucket: string, what: string, work: () => Promise<boolean>): Promise<void> => {
  const failed = (why: string) => new BlobsUnavailable(`Objects in the bucket ${bucket} cannot be ${what}: ${why}`)
  const done = await work().catch((error: unknown) => {
    throw failed(textOf(error))
  })
  if (!done) throw failed('what comes back is not what was written')
}

/**
 * Creates blobs in a bucket of S3, or of a storage with the same API, below `prefix` unless that is empty. Objects are
 * written whole, and all processes see them immediately, as S3 guarantees. While the bucket is known to be unavailable,
 * each request is sent only once, so that no caller waits long. Nothing is cached in this process.
 */
export const createS3Blobs = (options: S3BlobsOptions): S3Blobs => {
  const { prefix, logger, maxPages = 1000, ...rest } = options
  const client = createBucketClient(rest)
  const watch = createAwayWatch(options.access.bucket, logger)
  const base = prefix === '' ? '' : `${prefix}/`
  const objectOf = (key: string): string => base + keyParts(key).join('/')
  const ask: typeof client.ask = (request, given) =>
    watch.of(() => client.ask(request, { once: watch.away(), ...given }))

  const listBelow = async (start: string): Promise<string[]> => {
    const keys: string[] = []
    let token: string | undefined
    for (let page = 0; page === 0 || token !== undefined; page++) {
      if (page === maxPages)
        throw new BlobsUnavailable(`More than ${(maxPages * 1000).toLocaleString('en-US')} objects begin with ${start}`)
      const query = options.language.listQuery(start, token)
      const { body } = await ask({ method: 'GET', query }, { maxBytes: maxPageBytes })
      const { objects, next } = pageOf(options.language, body.toString())
      for (const { key } of objects) if (key.startsWith(start)) keys.push(key.slice(base.length))
      token = next
    }
    return keys
  }

  const blobs: Blobs = {
    async put(key, body, contentType) {
      checkContentType(contentType)
      const object = objectOf(key)
      if (body.length > maxBlobBytes) throw new InvalidBlob('The object is too large')
      const md5 = createHash('md5').update(body).digest('base64')
      const headers = { 'content-type': contentType, 'content-md5': md5 }
      await ask({ method: 'PUT', key: object, headers, body })
    },
    async get(key) {
      const request = { method: 'GET', key: objectOf(key) } as const
      const { code, body, contentType } = await ask(request, { maxBytes: maxBlobBytes, fine: ['NoSuchKey'] })
      return code === '' ? { body, contentType } : undefined
    },
    async delete(key) {
      await ask({ method: 'DELETE', key: objectOf(key) }, { fine: ['NoSuchKey'] })
    },
    async list(start) {
      // Skips objects of other users of the bucket.
      return (await listBelow(base + start)).filter((key) => key !== checkKey && isValidKey(key)).toSorted()
    },
  }

  return {
    ...blobs,
    async check() {
      const { bucket } = options.access
      const step = (what: string, work: () => Promise<boolean>) => checkStep(bucket, what, work)
      const missing = `tributary-check-${randomBytes(8).toString('hex')}`
      await step('written', async () => {
        await blobs.put(checkKey, checkBody, 'text/plain')
        return true
      })
      await step('read', async () => checkBody.equals((await blobs.get(checkKey))?.body ?? Buffer.alloc(0)))
      await step('listed', async () => (await listBelow(base + checkKey)).includes(checkKey))
      // Without the permission to list, a request for a missing object is denied.
      await step('told from missing ones', async () => (await blobs.get(missing)) === undefined)
      await step('deleted', async () => {
        await blobs.delete(missing)
        return true
      })
    },
    async answers() {
      const request = { method: 'GET', key: objectOf(checkKey) } as const
      return await ask(request, { once: true, fine: ['NoSuchKey'] }).then(
        () => true,
        () => false,
      )
    },
  }
}

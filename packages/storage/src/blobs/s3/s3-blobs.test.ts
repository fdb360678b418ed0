import type { Logger } from '@tributary/kernel'
import { silentLogger } from '@tributary/kernel'
import { afterEach, describe, expect, it, test } from 'vitest'
import * as language from '../../../../../connectors/wire/s3/language.ts'
import { refuseRequest, startTestBucket, type TestBucket } from '../../../../../connectors/wire/s3/testing-storage.ts'
import { blobsConformance } from '../conformance.ts'
import { InvalidBlob } from '../keys.ts'
import { BlobsUnavailable } from '../port.ts'
import { createS3Blobs } from './s3-blobs.ts'

const opened: TestBucket[] = []
afterEach(async () => {
  for (const bucket of opened.splice(0)) await bucket.close()
})
const startBucket = async (): Promise<TestBucket> => {
  const bucket = await startTestBucket()
  opened.push(bucket)
  return bucket
}
const pauses: number[] = []
const open = (bucket: TestBucket, more: Partial<Parameters<typeof createS3Blobs>[0]> = {}) =>
  createS3Blobs({
    access: bucket.access,
    language,
    prefix: 'tributary/blobs',
    logger: silentLogger,
    pause: async (ms) => void pauses.push(ms),
    ...more,
  })
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

blobsConformance('S3', async () => open(await startBucket(), { prefix: '' }))

blobsConformance('S3, below a prefix of a bucket that others use, too, and that is often overloaded', async () => {
  const bucket = await startBucket()
  for (const key of ['a', 'tributary/blobsandmore/a', 'tributary/blobs/no key~', 'tributary'])
    bucket.objects.set(key, { bytes: Buffer.from('not ours'), contentType: 'text/plain' })
  bucket.answer = (_, response, number) => {
    if (number % 3 !== 1) return false
    refuseRequest(response, 503, 'SlowDown')
    return true
  }
  return open(bucket)
})

describe('requests for blobs in a bucket', () => {
  it('requests to a bucket are retried with growing random pauses, until the storage accepts them', async () => {
    const bucket = await startBucket()
    bucket.answer = (request, response, number) => {
      if (number >= 3) return false
      if (number === 1) request.socket.destroy()
      else refuseRequest(response, 500, 'InternalError')
      return true
    }
    pauses.length = 0
    await open(bucket).put('a/b', bytes('x'), 'text/plain')
    expect(bucket.objects.get('tributary/blobs/a/b')?.bytes.toString()).toBe('x')
    expect(bucket.asked).toHaveLength(4)
    for (const [at, base] of [100, 200, 400].entries()) {
      expect(pauses[at]).toBeGreaterThanOrEqual(base / 2)
      expect(pauses[at]).toBeLessThanOrEqual(base)
    }
  })

  it('requests fail after some retries, then after one attempt each; the outage and its end are logged once each', async () => {
    const bucket = await startBucket()
    const said: string[] = []
    const note = (_: object, message: string): void => void said.push(message)
    const logger: Logger = { ...silentLogger, error: note, info: note }
    const blobs = open(bucket, { logger, retry: { baseMs: 100, capMs: 100, maxElapsedMs: 40 } })
    await bucket.close()
    for (let time = 0; time < 2; time++) await expect(blobs.get('a')).rejects.toThrow(BlobsUnavailable)
    expect(await blobs.answers()).toBe(false)
    await bucket.open()
    bucket.answer = (_, response) => {
      refuseRequest(response, 503, 'SlowDown')
      return true
    }
    await expect(blobs.get('a')).rejects.toThrow('SlowDown: About SlowDown.')
    expect(bucket.asked).toHaveLength(1)
    bucket.answer = () => false
    expect(await blobs.answers()).toBe(true)
    expect(await blobs.get('a')).toBeUndefined()
    expect(said).toEqual(['the bucket for pictures does not work', 'the bucket for pictures works again'])
  })

  it('requests to a bucket fail if the response never comes, or stops after its beginning', async () => {
    const bucket = await startBucket()
    const blobs = open(bucket, { timeoutMs: 50, retry: { baseMs: 1, capMs: 1, maxElapsedMs: 0 } })
    for (const begin of [false, true]) {
      bucket.answer = (_, response) => {
        if (begin) response.writeHead(200, { 'content-length': 10 }).write('x')
        return true
      }
      await expect(blobs.get('a')).rejects.toThrow('The storage does not respond in time')
    }
  })

  it.each<[string, (blobs: ReturnType<typeof open>) => Promise<unknown>, string]>([
    ['an object', (blobs) => blobs.get('a'), 'The object has more than'],
    ['a list', (blobs) => blobs.list('a'), 'The object has more than'],
  ])('requests to a bucket stop reading if %s has no end', async (_, ask, words) => {
    const bucket = await startBucket()
    let closed: Promise<unknown> | undefined
    bucket.answer = (request, response) => {
      closed = new Promise((resolve) => void request.socket.once('error', () => {}).once('close', resolve))
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
        response.once('drain', more)
      }
      more()
      return true
    }
    await expect(ask(open(bucket))).rejects.toThrow(words)
    await closed
  })

  it('requests to a bucket fail if the list has no end', async () => {
    const bucket = await startBucket()
    const page = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>`
    bucket.answer = (_, response) => Boolean(response.end(page))
    await expect(open(bucket, { maxPages: 3 }).list('logos/')).rejects.toThrow('More than 3,000 objects')
  })

  it('requests to a bucket are rejected for objects of more than 64 MiB', async () => {
    const bucket = await startBucket()
    await expect(open(bucket).put('a', new Uint8Array(64 * 1024 * 1024 + 1), 'text/plain')).rejects.toThrow(InvalidBlob)
    expect(bucket.asked).toEqual([])
  })

  it('at most 128 requests to a bucket run at a time', async () => {
    const bucket = await startBucket()
    const waiting: (() => void)[] = []
    bucket.answer = (_, response) => Boolean(waiting.push(() => refuseRequest(response, 404, 'NoSuchKey')))
    const blobs = open(bucket)
    const reads = Array.from({ length: 128 }, () => blobs.get('a'))
    await expect(blobs.get('a')).rejects.toThrow('Too many requests are in progress')
    await expect.poll(() => waiting.length).toBe(128)
    bucket.answer = () => false
    for (const answer of waiting) answer()
    expect(new Set(await Promise.all(reads))).toEqual(new Set([undefined]))
    expect(await blobs.get('a')).toBeUndefined()
  })
})

describe('the check of a bucket', () => {
  test('the check tests every operation, leaves one small object, and can run again or in parallel', async () => {
    const bucket = await startBucket()
    const blobs = open(bucket)
    await Promise.all([blobs.check(), open(bucket).check()])
    await blobs.check()
    expect([...bucket.objects.keys()]).toEqual(['tributary/blobs/tributary-check'])
    expect(await blobs.list('')).toEqual([])
    expect(new Set(bucket.asked.map((each) => each.split(' ')[0]))).toEqual(new Set(['PUT', 'GET', 'DELETE']))
  })

  const denying = (method: string, ofList: boolean): TestBucket['answer'] => {
    return (request, response) => {
      if (request.method !== method || (request.url ?? '').includes('list-type') !== ofList) return false
      refuseRequest(response, 403, 'AccessDenied')
      return true
    }
  }
  const missing: TestBucket['answer'] = (request, response) => {
    if (request.method !== 'GET' || !(request.url ?? '').includes('check-')) return false
    refuseRequest(response, 403, 'AccessDenied')
    return true
  }
  test('the check of a bucket reports a storage that cannot be reached', async () => {
    const bucket = await startBucket()
    await bucket.close()
    const blobs = open(bucket, { retry: { baseMs: 1, capMs: 1, maxElapsedMs: 0 } })
    await expect(blobs.check()).rejects.toThrow(/^Objects in the bucket pictures cannot be written: .*ECONNREFUSED/)
  })

  test.each<[string, TestBucket['answer'] | undefined, object, string]>([
    ['written', denying('PUT', false), {}, 'AccessDenied: About AccessDenied.'],
    ['read', denying('GET', false), {}, 'AccessDenied: About AccessDenied.'],
    ['read', (request, response) => request.method === 'GET' && Boolean(response.end('x')), {}, 'what comes back'],
    ['listed', denying('GET', true), {}, 'AccessDenied: About AccessDenied.'],
    ['told from missing ones', missing, {}, 'AccessDenied: About AccessDenied.'],
    ['deleted', denying('DELETE', false), {}, 'AccessDenied: About AccessDenied.'],
    ['written', undefined, { secret_access_key: 'another' }, 'SignatureDoesNotMatch'],
    ['written', undefined, { bucket: 'nothing' }, 'NoSuchBucket'],
    ['written', undefined, { region: 'us-east-1' }, 'AuthorizationHeaderMalformed'],
    [
      'written',
      (_, response) => {
        response.setHeader('x-amz-bucket-region', 'us-west-2')
        refuseRequest(response, 301, 'PermanentRedirect')
        return true
      },
      {},
      'The bucket is in the region us-west-2.',
    ],
  ])(
    'the check of a bucket reports, without the secret, that objects cannot be %s',
    async (what, answer, access, why) => {
      const bucket = await startBucket()
      if (answer !== undefined) bucket.answer = answer
      const blobs = open(bucket, { access: { ...bucket.access, ...access } })
      const failure = await blobs.check().catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(BlobsUnavailable)
      expect(String(failure)).toContain(`cannot be ${what}: `)
      expect(String(failure)).toContain(why)
      expect(String(failure)).not.toContain(bucket.access.secret_access_key)
    },
  )
})

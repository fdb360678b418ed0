import type { IncomingMessage } from 'node:http'
import { ConfigurationError, type DeliveryError, RetryableError } from '@tributary/connector-kit'
import { textOfResponse, type WayOut, withResponse } from '../../wire/files/download.ts'
import { failureWords } from '../../wire/s3/failures.ts'
import { type FoundObject, listQuery, pageOf } from '../../wire/s3/list-page.ts'
import { signRequest } from '../../wire/s3/sign.ts'
import { isOfPattern, prefixOf } from './key-pattern.ts'
import type { S3SourceSettings } from './settings.ts'

/** Maximum number of pages of a list. Each page has 1,000 keys. */
const maxPages = 20
const pageBytes = 8 * 1024 * 1024
const errorBytes = 64 * 1024
const maxObjects = 1000

/** Returns why a storage refuses a request; undefined for a success. */
export const refusalOf = async (response: IncomingMessage, region: string): Promise<DeliveryError | undefined> => {
  const { statusCode: status = 0, headers } = response
  if (status === 200 || status === 206) return undefined
  const body = (await textOfResponse(response, errorBytes)) ?? ''
  const other = headers['x-amz-bucket-region']
  const bucketRegion = typeof other === 'string' ? other : undefined
  const { text, isLater } = failureWords({ status, body, bucketRegion }, region)
  return isLater || status >= 500 || status === 429 ? new RetryableError(text) : new ConfigurationError(text)
}

/**
 * Returns the objects that the settings select, by key; empty objects are omitted. Rejects with a DeliveryError if
 * there are none, or too many to list.
 */
export const listObjects = async (settings: S3SourceSettings, wayOut: WayOut): Promise<FoundObject[]> => {
  const prefix = prefixOf(settings.objects)
  let found: FoundObject[] = []
  let token: string | undefined
  for (let page = 0; page === 0 || token !== undefined; page++) {
    if (page === maxPages)
      throw new ConfigurationError(
        `More than ${(maxPages * 1000).toLocaleString('en-US')} objects begin with "${prefix}". Enter a longer beginning`,
      )
    const address = await signRequest(settings, { method: 'GET', query: listQuery(prefix, token) }, Date.now())
    const { objects, next } = await withResponse(address, pageBytes, wayOut, async (response) => {
      const refusal = await refusalOf(response, settings.region)
      if (refusal !== undefined) throw refusal
      const xml = await textOfResponse(response, pageBytes)
      if (xml === undefined) throw new ConfigurationError('The storage responds with a list of objects without end')
      return pageOf(xml)
    })
    found.push(...objects.filter(({ key, bytes }) => bytes > 0 && isOfPattern(key, settings.objects)))
    token = next
  }
  if (found.length === 0)
    throw new ConfigurationError(`No object in the bucket ${settings.bucket} matches ${settings.objects}`)
  if (settings.which === 'newest')
    found = [found.reduce((newest, each) => (each.changed >= newest.changed ? each : newest))]
  if (found.length > maxObjects)
    throw new ConfigurationError(`More than ${maxObjects.toLocaleString('en-US')} objects match ${settings.objects}`)
  return found
}

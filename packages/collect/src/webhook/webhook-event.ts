import { randomUUID } from 'node:crypto'
import { formParams } from '@tributary/kernel'
import { bodyFault } from '../body/body.ts'
import { type Refusal, wrongBytes } from '../refusal.ts'

/** The event name of a call without a rule of its source, the same as in RudderStack's server. */
export const webhookEventName = 'webhook_source_event'

/** Returns the query parameters without the write key as JSON text; a repeated name becomes a list. */
const queryObject = (query: string): Buffer | Refusal => {
  const params = formParams(query)
  if (typeof params === 'string') return wrongBytes
  params.delete('writeKey')
  const entries = [...new Set(params.keys())].map((name) => {
    const values = params.getAll(name)
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return Buffer.from(JSON.stringify(Object.fromEntries(entries)))
}

/**
 * Makes the body of a track event with a new anonymous user from a call to `/v1/webhook` by a service without an SDK. A
 * JSON object becomes the `properties`, byte for byte; a list becomes `properties.items`; a GET without a body uses the
 * query parameters.
 */
export const webhookEvent = (body: Buffer, query: string, method: string): Buffer | Refusal => {
  const sent = method === 'GET' && body.length === 0 ? queryObject(query) : body
  if (!Buffer.isBuffer(sent)) return sent
  const isList = /^\s*\[/.test(sent.toString('utf8', 0, 64))
  const properties = isList ? Buffer.concat([Buffer.from('{"items":'), sent, Buffer.from('}')]) : sent
  const wrong = bodyFault(properties)
  if (wrong !== undefined) return wrong
  const head = `{"type":"track","event":"${webhookEventName}","anonymousId":"${randomUUID()}","properties":`
  return Buffer.concat([Buffer.from(head), properties, Buffer.from('}')])
}

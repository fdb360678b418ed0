import { randomUUID } from 'node:crypto'
import { bodyFault } from '../body/validate-body.ts'
import type { Refusal } from '../refusal.ts'

/** Name of the event that a call of somebody else's webhook becomes, as RudderStack's server names it. */
export const webhookEventName = 'webhook_source_event'

/** JSON text of the parameters of an address without the write key; a name that comes more than once has a list. */
const queryObject = (query: string): Buffer => {
  const params = new URLSearchParams(query)
  params.delete('writeKey')
  const entries = [...new Set(params.keys())].map((name) => {
    const values = params.getAll(name)
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return Buffer.from(JSON.stringify(Object.fromEntries(entries)))
}

/**
 * What a service without an SDK sends to `/v1/webhook`, as the body of a track event of a new anonymous user: the JSON
 * object is its `properties`, byte for byte; a list stands in `properties.items`; a call without a body (GET) gives the
 * parameters of its address.
 */
export const webhookEvent = (body: Buffer, query: string, method: string): Buffer | Refusal => {
  const sent = method === 'GET' && body.length === 0 ? queryObject(query) : body
  const isList = /^\s*\[/.test(sent.toString('utf8', 0, 64))
  const properties = isList ? Buffer.concat([Buffer.from('{"items":'), sent, Buffer.from('}')]) : sent
  const wrong = bodyFault(properties)
  if (wrong !== undefined) return wrong
  const head = `{"type":"track","event":"${webhookEventName}","anonymousId":"${randomUUID()}","properties":`
  return Buffer.concat([Buffer.from(head), properties, Buffer.from('}')])
}

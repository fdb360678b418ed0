import { audienceName } from '@tributary/audiences'
import { type Delivery, operations, producerKinds, resourceNames } from '@tributary/contract'
import { signalName } from '@tributary/signals'
import { maskReason, maskText } from '../profiles/mask.ts'
import { maskSample, ownPartOf } from './samples.ts'

export type DeliveryRow = {
  source_id: string
  destination_id: string
  event_id: string
  message_id: string
  event_type: string
  event: string
  time_ms: number
  attempt: number
  status: string
  http_status: number
  latency_ms: number
  reason: string
  request: string
  response: string
  producer: string
  operation: string
  object: string
  key: string
}

/** The columns of the delivery log that describe an attempt. */
export const deliveryColumns = `source_id, destination_id, event_id, message_id, event_type, event,
  toUnixTimestamp64Milli(time) as time_ms, attempt, status, http_status, latency_ms, reason, request, response,
  producer, operation, object, key`

/** Describes the row that was delivered: its operation, object, and key. Returns nothing for a delivered event. */
const presentRow = ({ producer, operation, object, key }: DeliveryRow, masked: boolean): Pick<Delivery, 'row'> => {
  const kind = producerKinds.find((each) => each === producer)
  const asked = operations.find((each) => each === operation)
  if (kind === undefined || asked === undefined) return {}
  // The key of an audience row is the ID of the profile, which is not masked.
  const shown = masked && kind !== 'audience' ? maskText(key) : key
  return { row: { producer: kind, operation: asked, object, key: shown } }
}

const titleOf = ({ event, event_type, operation, object }: DeliveryRow): string =>
  operation === '' || operation === 'event' ? event || event_type : `${operation} ${object}`

/** Returns the part of the request that belongs to the event, and the response. Hides values of people if `masked`. */
const sampleOf = ({ request, response, message_id }: DeliveryRow, masked: boolean) => {
  const own = { request: ownPartOf(request, message_id), response }
  return masked ? maskSample(own) : own
}

/** An attempt as the API returns it. With `masked`, values of people in request and response are hidden. */
export const presentDelivery = (workspaceId: string, row: DeliveryRow, masked: boolean): Delivery => ({
  destination: resourceNames.destination.format({ workspace: workspaceId, destination: row.destination_id }),
  source: resourceNames.source.format({ workspace: workspaceId, source: row.source_id }),
  event: resourceNames.event.format({ workspace: workspaceId, event: row.event_id }),
  event_id: row.event_id,
  message_id: row.message_id,
  event_type: row.event_type,
  event_title: titleOf(row),
  time: new Date(Number(row.time_ms)).toISOString(),
  attempt: Number(row.attempt),
  status: row.status,
  http_status: Number(row.http_status),
  latency_ms: Number(row.latency_ms),
  reason: masked ? maskReason(row.reason) : row.reason,
  ...sampleOf(row, masked),
  ...(row.producer === 'audience' ? { audience: audienceName(workspaceId, row.source_id) } : {}),
  ...(row.producer === 'signal' ? { signal: signalName(workspaceId, row.source_id) } : {}),
  ...presentRow(row, masked),
})

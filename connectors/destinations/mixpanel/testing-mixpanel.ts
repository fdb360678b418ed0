import { compileMappings, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { mixpanel } from './definition.ts'

type PipelineEvent = Parameters<ReturnType<typeof compileMappings>>[0]
type Mappings = Parameters<typeof compileMappings>[1]

/** The credentials and hosts of the simulated vendor. */
export const token = 'mixpanel-project-token-1'
export const credentials = Buffer.from(`${token}:`).toString('base64')
export const origins = ['https://api.mixpanel.com', 'https://api-eu.mixpanel.com', 'https://api-in.mixpanel.com']
export const settings = { project_token: token }

type Body = Record<string, unknown> & { properties?: Record<string, unknown> }
/** Returns the records of a request. */
export const recordsOf = ({ body }: VendorRequest): Body[] => (Array.isArray(body) ? body : [])

/** Returns a JSON response of the vendor. */
export const json = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * Checks the rules of docs.mixpanel.com for a record: reference/import-events, troubleshooting/errors/400-bad-request.
 */
const mistakeOf = ({ event, properties, $token, $distinct_id: id, $group_id: group }: Body, path: string) => {
  if (path !== '/import')
    return $token === token && (id ?? group) !== undefined
      ? undefined
      : { field: '$token', message: 'missing or invalid' }
  if (event === '$merge') return undefined
  const { time, distinct_id: distinct, $insert_id: insert } = properties ?? {}
  if (typeof time !== 'number' || time > Date.now() + 3_600_000)
    return { field: 'properties.time', message: "'properties.time' is invalid: must not be in the future" }
  if (distinct === 'anonymous')
    return { field: 'properties.distinct_id', message: "'properties.distinct_id' is invalid: 'anonymous' not allowed" }
  if (typeof insert !== 'string' || !/^[A-Za-z0-9-]{1,36}$/.test(insert))
    return { field: 'properties.$insert_id', message: "'properties.$insert_id' is invalid" }
  return undefined
}

/**
 * Responds as documented (docs.mixpanel.com): reference/import-events (2,000 events, 10 MB, gzip, strict),
 * reference/profile-set and reference/group-set-property (strict), and the refusals of both.
 */
export const documented = (request: VendorRequest): PeerAnswer => {
  const records = recordsOf(request)
  const { path, headers, query } = request
  if (request.method !== 'POST' || !['/import', '/engage', '/groups'].includes(path)) return json(404, { status: 0 })
  if (path === '/import' && headers.authorization !== `Basic ${credentials}`)
    return json(401, { code: 401, error: 'Invalid credentials', status: 'Unauthorized' })
  if (headers['content-type'] !== 'application/json' || headers['content-encoding'] !== 'gzip' || query.strict !== '1')
    return json(400, { code: 400, error: 'not as documented', status: 'Bad Request' })
  if (records.length > 2000) return json(413, { code: 413, error: 'too many records', status: 'Payload Too Large' })
  const failed = records.flatMap((record, index) => {
    const mistake = mistakeOf(record, path)
    return mistake === undefined ? [] : [{ index, ...mistake }]
  })
  if (failed.length === 0) return json(200, { code: 200, num_records_imported: records.length, status: 'OK' })
  return json(400, {
    code: 400,
    error: 'some data points in the request failed validation',
    status: 'Bad Request',
    num_records_imported: records.length - failed.length,
    failed_records: failed,
  })
}

/** Returns an event that mappings created, by default the presets. */
export const mapped = (given: Partial<PipelineEvent>, mappings?: Mappings): OutgoingEvent => {
  const map = compileMappings(mixpanel, mappings, { workspaceId: 'w', destinationId: 'd' })
  const event: PipelineEvent = {
    eventId: '0-00000000000000000001-00000',
    messageId: 'message-1',
    type: 'track',
    event: given.type === undefined ? 'Order Completed' : '',
    context: {},
    test: false,
    receivedAt: '2026-01-02T03:04:05.678Z',
    timestamp: '2026-01-02T03:04:05.000Z',
    ...given,
  }
  const made = map(event, 's')
  if (made.kind !== 'mapped' || made.payload === undefined) throw new Error(JSON.stringify(made))
  return outgoingEvent(event, { payload: made.payload, action: made.action })
}

/** Sends events to the simulated vendor, and returns its records by path. */
export const sent = async (
  events: readonly OutgoingEvent[],
  more: Readonly<Record<string, unknown>> = {},
  answer: (request: VendorRequest) => PeerAnswer = documented,
) => {
  const { asked, rebase } = await startVendor({ origins }, answer)
  const result = await runConnector(mixpanel, { ...settings, ...more }, events, { rebase })
  return { result, asked, records: asked.map((request) => [request.path, recordsOf(request)]) }
}

import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** The credentials of the simulated vendor. */
export const token = 'pat-eu1-0123456789'

type Properties = Record<string, string>
type Input = { id?: string; idProperty?: string; properties?: Properties; objectWriteTraceId?: string }
type Stored = { id: string; properties: Properties }

/** Returns a JSON response of the vendor. */
export const answerOf = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
/** Returns an error in HubSpot's format. */
export const errorOf = (status: number, category: string, message: string, more: object = {}): PeerAnswer =>
  answerOf(status, { status: 'error', category, message, correlationId: 'c', ...more })

/** The response of "Properties", reduced to the used fields. */
const dealProperties = [
  { name: 'dealname', label: 'Deal name', type: 'string', fieldType: 'text', options: [], hasUniqueValue: false },
  {
    name: 'plan',
    label: 'A plan',
    type: 'enumeration',
    fieldType: 'select',
    options: [
      { label: 'Pro', value: 'pro', hidden: false },
      { label: 'Old', value: 'old', hidden: true },
    ],
    modificationMetadata: { readOnlyValue: false },
  },
  { name: 'id', label: 'Our ID', type: 'string', fieldType: 'text', hasUniqueValue: true },
  { name: 'hs_object_id', label: 'Record ID', type: 'number', modificationMetadata: { readOnlyValue: true } },
  { name: 'days', label: 'Days to close', type: 'number', calculated: true },
  { name: 'secret', label: 'Secret', type: 'string', hidden: true, padding: 'x'.repeat(400_000) },
]

const badValue = 'Property values were not valid: bad was not an option'

const problemOf = ({ objectWriteTraceId: trace }: Input) => ({
  status: 'error',
  category: 'VALIDATION_ERROR',
  message: badValue,
  context: { objectWriteTraceId: [trace] },
})

const keyOf = ({ id, properties }: Input): string => id ?? properties?.['email'] ?? properties?.['id'] ?? ''
const resultOf = ({ id, properties }: Stored, trace?: string) => ({
  id,
  properties: { ...properties, hs_object_id: id },
  archived: false,
  ...(trace === undefined ? {} : { objectWriteTraceId: trace }),
})

/**
 * Creates a stand-in for HubSpot's CRM that follows its pages (developers.hubspot.com/docs/api-reference).
 * - "Error handling": 401, 403, multi-status errors by objectWriteTraceId with status 207.
 * - "Usage guidelines": batches of 100.
 * - "Contacts" and "Objects", batch endpoints: upsert needs a unique idProperty in each input, and update takes record
 * IDs. Read responds with 207 if records are missing, archive with 204 without a body. A batch with a repeated key is
 * refused. With `multiStatus` false, one bad record refuses the whole batch.
 */
export const createHubspot = (given: { multiStatus?: boolean; schemas?: boolean } = {}) => {
  const objects = new Map<string, Map<string, Stored>>()
  const refused = new Set<string>()
  let ids = 100
  const find = (type: string, property: string, value: string): Stored | undefined =>
    [...(objects.get(type)?.values() ?? [])].find(({ properties }) => properties[property] === value)
  const isBad = (type: string, { properties = {} }: Input): boolean => refused.has(type) && properties['plan'] === 'bad'
  const put = (type: string, input: Input, found: Stored | undefined): Stored => {
    const record = found ?? { id: String(++ids), properties: {} }
    Object.assign(record.properties, input.properties)
    const kept = objects.get(type) ?? new Map<string, Stored>()
    objects.set(type, kept.set(record.id, record))
    return record
  }
  const write = (type: string, what: string, inputs: readonly Input[]): PeerAnswer => {
    const results: object[] = []
    const bad = inputs.filter((input) => isBad(type, input))
    if (bad.length > 0 && given.multiStatus === false) return errorOf(400, 'VALIDATION_ERROR', badValue)
    for (const input of inputs) {
      if (bad.includes(input)) continue
      const found =
        what === 'upsert'
          ? find(type, input.idProperty ?? '', input.id ?? '')
          : what === 'update'
            ? objects.get(type)?.get(input.id ?? '')
            : undefined
      results.push(resultOf(put(type, input, found), input.objectWriteTraceId))
    }
    if (bad.length === 0) return answerOf(what === 'create' ? 201 : 200, { status: 'COMPLETE', results })
    const errors = bad.map(problemOf)
    return answerOf(207, { status: 'COMPLETE', results, numErrors: errors.length, errors })
  }
  const batch = (type: string, what: string, body: { inputs: Input[]; idProperty?: string }): PeerAnswer => {
    const { inputs } = body
    if (inputs.length > 100) return errorOf(400, 'VALIDATION_ERROR', 'The maximum number of inputs is 100')
    const keys = inputs.map(keyOf)
    if (new Set(keys).size < keys.length) return errorOf(400, 'VALIDATION_ERROR', 'Duplicate IDs found in batch input')
    if (what === 'read') {
      const found = keys.flatMap((key) => find(type, body.idProperty ?? '', key) ?? [])
      const isWhole = found.length === keys.length
      return answerOf(isWhole ? 200 : 207, {
        status: 'COMPLETE',
        results: found.map((record) => resultOf(record)),
        ...(isWhole ? {} : { numErrors: 1, errors: [{ category: 'OBJECT_NOT_FOUND' }] }),
      })
    }
    if (what === 'archive') {
      for (const { id = '' } of inputs) objects.get(type)?.delete(id)
      return { status: 204 }
    }
    const property = inputs[0]?.idProperty
    if (what === 'upsert' && !['email', 'id'].includes(property ?? ''))
      return errorOf(400, 'VALIDATION_ERROR', `Unable to perform update/upsert by non-unique 0-2 property ${property}`)
    return write(type, what, inputs)
  }
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'api.hubapi.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found')
    if (method === 'GET' && path === '/account-info/v3/details') return answerOf(200, { portalId: 4711 })
    const [, described] = /^\/crm\/v3\/properties\/([^/]+)$/.exec(path) ?? []
    if (method === 'GET' && described !== undefined)
      return described === 'deals'
        ? answerOf(200, { results: dealProperties })
        : errorOf(404, 'OBJECT_NOT_FOUND', 'No such object')
    if (method === 'GET' && path === '/crm-object-schemas/v3/schemas/deals')
      return given.schemas === false
        ? errorOf(403, 'MISSING_SCOPES', 'This app needs crm.schemas.deals.read')
        : answerOf(200, { requiredProperties: ['dealname'] })
    const [, type = '', what = ''] = /^\/crm\/v3\/objects\/([^/]+)\/batch\/([a-z]+)$/.exec(path) ?? []
    if (method !== 'POST' || type === '') return errorOf(404, 'OBJECT_NOT_FOUND', `No ${path}`)
    if (type === 'unknown') return errorOf(404, 'OBJECT_NOT_FOUND', 'Unable to infer object type from: unknown')
    return batch(type, what, body as { inputs: Input[] })
  }
  return {
    answer,
    refuseBad: (type: string) => void refused.add(type),
    read: (type: string) => [...(objects.get(type)?.values() ?? [])].map(({ properties }) => properties),
  }
}

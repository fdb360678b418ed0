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

const isDate = (text = ''): boolean =>
  text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text) || (/^-?\d+$/.test(text) && Number(text) % 86_400_000 === 0)

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

/** The properties of contacts that hold a time, and one that does not. */
const contactProperties = [
  { name: 'firstname', label: 'First name', type: 'string' },
  { name: 'birth', label: 'Birthday', type: 'date' },
  { name: 'seen', label: 'Last seen', type: 'datetime' },
  { name: 'code', label: 'Code', type: 'string' },
  { name: 'phone', label: 'Phone', type: 'string' },
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
 * - "Contacts", guide: batch/upsert with the email address as idProperty takes no partial updates; refused here.
 * - HubSpot/hubspot-api-python, issue 51: the creation of an existing contact refuses the batch with 409 and one ID.
 * - "How should timestamps be formatted": a date property takes a day, or the milliseconds of a midnight.
 */
export const createHubspot = (given: { multiStatus?: boolean; schemas?: boolean } = {}) => {
  const objects = new Map<string, Map<string, Stored>>()
  const refused = new Set<string>()
  const occurrences: object[] = []
  const associations: string[] = []
  let ids = 100
  const find = (type: string, property: string, value: string): Stored | undefined =>
    [...(objects.get(type)?.values() ?? [])].find(
      ({ properties }) =>
        properties[property] === value ||
        (property === 'email' && properties['hs_additional_emails']?.split(';').includes(value) === true),
    )
  const isBad = (type: string, { properties = {} }: Input): boolean =>
    (refused.has(type) && properties['plan'] === 'bad') || !isDate(properties['birth'])
  /** Hides contacts from reads, as if another client creates them after the read. */
  const hidden = new Set<string>()
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
    const taken = inputs.flatMap(({ properties }) => find(type, 'email', properties?.['email'] ?? '-') ?? [])[0]
    if (what === 'create' && type === 'contacts' && taken !== undefined)
      return errorOf(409, 'CONFLICT', `Contact already exists. Existing ID: ${taken.id}`)
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
      const found = keys.flatMap((key) => (hidden.has(key) ? [] : (find(type, body.idProperty ?? '', key) ?? [])))
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
    if (what === 'upsert' && type === 'contacts' && property === 'email')
      return errorOf(400, 'VALIDATION_ERROR', 'Partial upserts are not supported with the email address')
    if (what === 'upsert' && !['email', 'id', 'tributary_company_id', 'tributary_deal_id'].includes(property ?? ''))
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
        : described === 'contacts'
          ? answerOf(200, { results: contactProperties })
          : errorOf(404, 'OBJECT_NOT_FOUND', 'No such object')
    if (method === 'GET' && path === '/crm-object-schemas/v3/schemas/deals')
      return given.schemas === false
        ? errorOf(403, 'MISSING_SCOPES', 'This app needs crm.schemas.deals.read')
        : answerOf(200, { requiredProperties: ['dealname'] })
    if (method === 'POST' && path === '/events/v3/send/batch') {
      occurrences.push(...(body as { inputs: object[] }).inputs)
      return { status: 204 }
    }
    const [, from = '', to = ''] = /^\/crm\/v4\/associations\/(\w+)\/(\w+)\/batch\/associate\/default$/.exec(path) ?? []
    if (method === 'POST' && from !== '') {
      for (const pair of (body as { inputs: { from: Stored; to: Stored }[] }).inputs)
        associations.push(`${from} ${pair.from.id} ${to} ${pair.to.id}`)
      return answerOf(200, { status: 'COMPLETE', results: [] })
    }
    const [, type = '', what = ''] = /^\/crm\/v3\/objects\/([^/]+)\/batch\/([a-z]+)$/.exec(path) ?? []
    if (method !== 'POST' || type === '') return errorOf(404, 'OBJECT_NOT_FOUND', `No ${path}`)
    if (type === 'unknown') return errorOf(404, 'OBJECT_NOT_FOUND', 'Unable to infer object type from: unknown')
    return batch(type, what, body as { inputs: Input[] })
  }
  return {
    answer,
    occurrences,
    associations,
    hide: (email: string) => void hidden.add(email),
    refuseBad: (type: string) => void refused.add(type),
    read: (type: string) => [...(objects.get(type)?.values() ?? [])].map(({ properties }) => properties),
  }
}

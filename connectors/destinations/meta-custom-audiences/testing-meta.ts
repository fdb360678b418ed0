import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf, errorOf } from '../../wire/meta/testing-graph.ts'

/** The credentials of the simulated vendor. */
export const token = 'EAAG-0123456789'

type Body = {
  session?: { session_id: number; batch_seq: number; last_batch_flag: boolean; estimated_num_total: number }
  payload: { schema: string[]; data: (string | number)[][] }
}

const known = 'EXTERN_ID EMAIL PHONE GEN DOBY DOBM DOBD LN FN FI CT ST ZIP MADID COUNTRY LOOKALIKE_VALUE'.split(' ')
const plain = new Set(['EXTERN_ID', 'MADID', 'LOOKALIKE_VALUE'])

/**
 * Creates a stand-in for Custom Audiences that follows Meta's pages (developers.facebook.com/docs/marketing-api).
 * "Custom Audiences": POST adds, DELETE removes, at most 10,000 people, a session for each upload, fields in the order
 * of the schema. Hashes are SHA-256 for all but EXTERN_ID, MADID and LOOKALIKE_VALUE, '' stands for unknown values, and a removal uses
 * EXTERN_ID alone. Reference of the edge `users`: `num_received`, `num_invalid_entries`, `invalid_entry_samples`. An
 * unknown ID is error 100, subcode 33 ("Error Handling").
 */
export const createMeta = (given: { bad?: string } = {}) => {
  const audiences = new Map<string, Map<string, Record<string, string | number>>>()
  const titles = new Map<string, string>()
  const sessions = new Set<number>()
  const isInvalid = (person: Record<string, string | number>): boolean =>
    person['EXTERN_ID'] === given.bad ||
    Object.entries(person).some(
      ([key, value]) => !plain.has(key) && value !== '' && !/^[a-f0-9]{64}$/.test(String(value)),
    ) ||
    // "Value-Based Lookalikes": a number that is not negative.
    Number(person['LOOKALIKE_VALUE'] ?? 0) < 0
  const change = (method: string, id: string, { session, payload }: Body): PeerAnswer => {
    const audience = audiences.get(id)
    if (audience === undefined) return errorOf(400, 100, 'Unsupported post request.', { error_subcode: 33 })
    const { schema, data } = payload
    if (
      data.length > 10_000 ||
      schema.some((key) => !known.includes(key)) ||
      data.some((row) => row.length !== schema.length)
    )
      return errorOf(400, 100, 'Invalid parameter')
    if (method === 'POST' && (session === undefined || sessions.has(session.session_id)))
      return errorOf(400, 100, 'Invalid session')
    if (session !== undefined) sessions.add(session.session_id)
    let invalid = 0
    for (const row of data) {
      const person = Object.fromEntries(schema.map((key, at) => [key, row[at] ?? '']))
      if (isInvalid(person)) invalid++
      else if (method === 'POST') audience.set(String(person['EXTERN_ID']), person)
      else audience.delete(String(person['EXTERN_ID']))
    }
    return answerOf(200, {
      audience_id: id,
      session_id: String(session?.session_id ?? 0),
      num_received: data.length,
      num_invalid_entries: invalid,
      invalid_entry_samples: invalid === 0 ? {} : { '1': 'Invalid entry' },
    })
  }
  const bounds = (size: number) => {
    const bound = (round: (size: number) => number) => (size < 100 ? -1 : round(size / 100) * 100)
    return { approximate_count_lower_bound: bound(Math.floor), approximate_count_upper_bound: bound(Math.ceil) }
  }
  /** "Ad Account, Custom Audiences": pages by cursors, and creation with a name, a subtype, and the source of people. */
  const ofAccount = (method: string, query: VendorRequest['query'], body: unknown): PeerAnswer => {
    if (method === 'POST') {
      const { name, subtype, customer_file_source: source } = body as Record<string, unknown>
      const sources = ['USER_PROVIDED_ONLY', 'PARTNER_PROVIDED_ONLY', 'BOTH_USER_AND_PARTNER_PROVIDED']
      if (typeof name !== 'string' || name === '' || subtype !== 'CUSTOM' || !sources.includes(String(source)))
        return errorOf(400, 100, 'Invalid parameter')
      const id = String(23_900 + audiences.size)
      audiences.set(id, new Map())
      titles.set(id, name)
      return answerOf(200, { id })
    }
    const { limit = '25', after = '' } = query
    const all = [...audiences].map(([id, people]) => ({
      id,
      name: titles.get(id) ?? 'VIPs',
      subtype: 'CUSTOM',
      ...bounds(people.size),
    }))
    all.push({ id: '23999', name: 'Similar people', subtype: 'LOOKALIKE', ...bounds(0) })
    const start = after === '' ? 0 : Number(after)
    const end = start + Number(limit)
    const next = end < all.length ? { next: 'https://graph.facebook.com/next' } : {}
    return answerOf(200, {
      data: all.slice(start, end),
      paging: { cursors: { before: String(start), after: String(end) }, ...next },
    })
  }
  const answer = ({
    method,
    host,
    path,
    headers,
    body,
    query,
  }: Omit<VendorRequest, 'raw' | 'query'> & Partial<Pick<VendorRequest, 'query'>>): PeerAnswer => {
    if (host !== 'graph.facebook.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 190, 'Error validating access token: the session is invalid')
    if (method === 'GET' && path === '/v25.0/act_123456789') return answerOf(200, { name: 'Shop', id: 'act_123456789' })
    if (path === '/v25.0/act_123456789/customaudiences') return ofAccount(method, query ?? {}, body)
    const described = method === 'GET' ? audiences.get(/^\/v25\.0\/(\d+)$/.exec(path)?.[1] ?? '') : undefined
    // "Custom Audience": bounds of the size, -1 for a small one.
    if (described !== undefined) {
      return answerOf(200, {
        name: titles.get(path.split('/').at(-1) ?? '') ?? 'VIPs',
        ...bounds(described.size),
        operation_status: { code: 200, description: 'Normal' },
        delivery_status: { code: 200, description: 'This audience is ready for use.' },
      })
    }
    const id = /^\/v25\.0\/(\d+)\/users$/.exec(path)?.[1]
    if (id === undefined || (method !== 'POST' && method !== 'DELETE'))
      return errorOf(400, 100, 'Unsupported request.', { error_subcode: 33 })
    return change(method, id, body as Body)
  }
  return {
    answer,
    /** Creates an empty Custom Audience. */
    create: (id: string, title = 'VIPs') => {
      audiences.set(id, new Map())
      titles.set(id, title)
    },
    /** Returns the members of an audience by external ID, without unknown values. */
    read: (id: string) =>
      [...(audiences.get(id)?.values() ?? [])].map((person) =>
        Object.fromEntries(Object.entries(person).filter(([, value]) => value !== '')),
      ),
  }
}

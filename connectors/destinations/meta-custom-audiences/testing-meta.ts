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
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'graph.facebook.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 190, 'Error validating access token: the session is invalid')
    if (method === 'GET' && path === '/v25.0/act_123456789') return answerOf(200, { name: 'Shop', id: 'act_123456789' })
    const described = method === 'GET' ? audiences.get(/^\/v25\.0\/(\d+)$/.exec(path)?.[1] ?? '') : undefined
    // "Custom Audience": bounds of the size, -1 for a small one.
    if (described !== undefined) {
      const bound = (round: (size: number) => number) => (described.size < 100 ? -1 : round(described.size / 100) * 100)
      return answerOf(200, {
        name: 'VIPs',
        approximate_count_lower_bound: bound(Math.floor),
        approximate_count_upper_bound: bound(Math.ceil),
        operation_status: { code: 200, description: 'Normal' },
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
    create: (id: string) => void audiences.set(id, new Map()),
    /** Returns the members of an audience by external ID, without unknown values. */
    read: (id: string) =>
      [...(audiences.get(id)?.values() ?? [])].map((person) =>
        Object.fromEntries(Object.entries(person).filter(([, value]) => value !== '')),
      ),
  }
}

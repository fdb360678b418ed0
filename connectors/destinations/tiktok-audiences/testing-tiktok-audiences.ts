import { isJsonObject } from '@tributary/connector-kit'
import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** The credentials of the simulated vendor. */
export const token = 'tiktok-audience-token-0123456789'
export const advertiser = '7123456789012345678'
export const audience = '7312345678901234567'

type Item = { id?: string; audience_ids?: string[] }
type Mapping = { advertiser_ids?: string[]; action?: string; id_schema?: string[]; batch_data?: Item[][] }

/** Returns a response of the API for Business, whose status is always 200. */
export const answerOf = (code: number, message: string, data: unknown = {}): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code, message, request_id: '2026113000', data }),
})

/** The length of an ID of each kind. */
const lengths: Readonly<Record<string, number>> = {
  EMAIL_SHA256: 64,
  PHONE_SHA256: 64,
  IDFA_SHA256: 64,
  AAID_SHA256: 64,
  IDFA_MD5: 32,
  AAID_MD5: 32,
}

/** Returns why TikTok refuses a request as a whole; undefined if it takes it. */
const mistakeOf = ({ action = 'add', id_schema: kinds = [], batch_data: rows = [] }: Mapping): string | undefined => {
  if (action !== 'add' && action !== 'delete') return 'action: not a valid value'
  if (kinds.length === 0 || new Set(kinds).size !== kinds.length) return 'id_schema: duplicate or missing types'
  if (kinds.some((kind) => lengths[kind] === undefined)) return 'id_schema: not a valid value'
  if (rows.length === 0) return 'batch_data: Missing data for required field.'
  for (const row of rows) {
    if (row.length !== kinds.length) return 'batch_data: does not match id_schema'
    if (row.every(({ id }) => id === undefined)) return 'batch_data: no id'
    for (const [at, { id }] of row.entries())
      if (id !== undefined && (id.length !== lengths[kinds[at] ?? ''] || !/^[a-f0-9]+$/.test(id)))
        return 'batch_data: id is invalid'
  }
  return undefined
}

/**
 * Creates a stand-in for the Streaming API. Its rules are those of "Add or delete segment mappings"
 * (ads.tiktok.com/marketing_api/docs?id=1739940585975809) and "Create or delete an audience segment" (id=1739940583739393).
 * They were read in github.com/bububa/tiktok-business (model/dmp), Segment (action-destinations, `tiktok-audiences`), and
 * RudderStack (rudder-transformer, `tiktok_audience`). Kinds of IDs are unique, and a person's row has one item for each
 * kind, an empty one for an absent ID. TikTok takes all rows or none. "Return codes" (id=1737172488964097): status 200, 40002
 * for parameters, 40105 for the token, 40001 for an ad account of others. `bad` is an ID that only TikTok can refuse. The
 * details of an audience are those of Segment's test of `dmp/custom_audience/get`.
 */
export const createTikTokAudiences = (given: { bad?: string } = {}) => {
  const people = new Map<string, Set<string>>([[audience, new Set()]])
  const titles = new Map([[audience, 'VIPs']])
  const detailsOf = (id: string) => ({
    audience_id: id,
    audience_type: 'Partner Audience',
    is_creator: true,
    name: titles.get(id),
    cover_num: people.get(id)?.size,
    is_valid: (people.get(id)?.size ?? 0) > 0,
    is_expiring: false,
    msg: null,
    error_msg: null,
  })
  const change = (body: Mapping): PeerAnswer => {
    if (body.advertiser_ids?.length !== 1 || body.advertiser_ids[0] !== advertiser)
      return answerOf(40_001, 'No permission to operate advertiser')
    const mistake = mistakeOf(body)
    if (mistake !== undefined) return answerOf(40_002, mistake)
    const items = (body.batch_data ?? []).flatMap((row) =>
      row.map((item, at) => ({ ...item, kind: body.id_schema?.[at] ?? '' })),
    )
    const wrong = items.flatMap(({ audience_ids: ids = [] }) => ids).find((id) => !people.has(id))
    if (wrong !== undefined) return answerOf(40_002, 'Parameter error: invalid audience ID')
    if (items.some(({ id }) => id !== undefined && id === given.bad)) return answerOf(40_002, 'batch_data: refused id')
    for (const { id, kind, audience_ids: ids = [] } of items)
      for (const each of ids)
        if (body.action === 'delete') people.get(each)?.delete(`${kind} ${id}`)
        else people.get(each)?.add(`${kind} ${id}`)
    return answerOf(0, 'OK')
  }
  const create = (body: Record<string, unknown>): PeerAnswer => {
    const { action = 'create', advertiser_id: account, custom_audience_name: title } = body
    if (account !== advertiser) return answerOf(40_001, 'No permission to operate advertiser')
    if (action !== 'create') return answerOf(40_002, 'action: not a valid value')
    if (typeof title !== 'string' || title === '') return answerOf(40_002, 'custom_audience_name: Missing data')
    const id = String(7_400_000_000_000 + people.size)
    people.set(id, new Set())
    titles.set(id, title.length > 70 ? `${title.slice(0, 67)}...` : title)
    return answerOf(0, 'OK', { audience_id: id })
  }
  const read = (path: string, query: VendorRequest['query']): PeerAnswer => {
    if (query['advertiser_id'] !== advertiser) return answerOf(40_001, 'No permission to operate advertiser')
    if (path === 'dmp/custom_audience/list/') {
      const [page, size] = [Number(query['page'] ?? 1), Number(query['page_size'] ?? 10)]
      if (!(page >= 1 && size >= 1 && size <= 100)) return answerOf(40_002, 'page_size: must be between 1 and 100')
      const all = [...people.keys()]
      return answerOf(0, 'OK', {
        page_info: { page, page_size: size, total_number: all.length, total_page: Math.ceil(all.length / size) },
        list: all.slice((page - 1) * size, page * size).map(detailsOf),
      })
    }
    const ids = JSON.parse(query['custom_audience_ids'] ?? '[]') as string[]
    if (ids.some((id) => !people.has(id))) return answerOf(40_002, 'custom_audience_ids: not found')
    return answerOf(0, 'OK', { list: ids.map((id) => ({ audience_details: detailsOf(id), audience_history: [] })) })
  }
  const answer = ({ method, host, path, query, headers, body }: Omit<VendorRequest, 'raw'>): PeerAnswer => {
    const [, called = ''] = /^\/open_api\/v1\.3\/(.+)$/.exec(path) ?? []
    if (host !== 'business-api.tiktok.com') return { status: 404 }
    if (headers['access-token'] !== token) return answerOf(40_105, 'Access token is incorrect or has been revoked')
    if (method === 'POST' && called === 'segment/mapping/' && isJsonObject(body)) return change(body as Mapping)
    if (method === 'POST' && called === 'segment/audience/' && isJsonObject(body)) return create(body)
    if (method === 'GET' && /^dmp\/custom_audience\/(get|list)\/$/.test(called)) return read(called, query)
    return { status: 404 }
  }
  return {
    answer,
    /** Creates an empty audience. */
    create: (id: string, title = id) => {
      people.set(id, new Set())
      titles.set(id, title)
    },
    /** Returns the IDs in an audience, each after its kind. */
    idsIn: (id = audience) => [...(people.get(id) ?? [])],
  }
}

import {
  isJsonObject,
  type PeopleList,
  type PeopleLists,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { askTikTok, dataOf, hiddenOf, outcomeOf } from '../../wire/tiktok/business-api.ts'
import { audienceFacts } from './audience-facts.ts'
import type { Context } from './send-people.ts'
import { isNumber, type TikTokAudienceSettings } from './settings.ts'

/** Audiences of a page, the most that TikTok returns ("Get all audiences", page_size). */
const pageSize = 100

/** Maximum bytes of a page. */
const readBytes = 1024 * 1024

/** Calls TikTok for an answer with data. Throws the error of a call that failed. */
const ask = async (context: Context, path: string, request: { body?: unknown; readBytes?: number }) => {
  const call = await askTikTok(context, path, request)
  const outcome = outcomeOf(call, { now: context.clock(), hidden: hiddenOf(context), items: 'audiences' })
  if (outcome.kind === 'retry') throw new RetryableError(outcome.reason, { exchange: call.exchange() })
  if (outcome.kind !== 'delivered') throw new RejectedError(outcome.reason, call.exchange())
  return { call, data: dataOf(call) }
}

/** Whether people can be added to an audience by its ID: it is of this account, and made of people that were sent. */
const takesPeople = (audience: Readonly<Record<string, unknown>>): boolean => {
  const type = audience['audience_type'] ?? audience['type']
  const isSent = typeof type !== 'string' || /partner|customer file/i.test(type)
  return isSent && audience['is_creator'] !== false
}

const listOf = (audience: unknown): PeopleList[] => {
  if (!isJsonObject(audience) || !takesPeople(audience)) return []
  const { audience_id: id, name, cover_num: size } = audience
  if (typeof id !== 'string' || !isNumber(id)) return []
  const note = typeof size === 'number' ? `${size.toLocaleString('en-US')} matched` : ''
  return [{ id, title: typeof name === 'string' && name !== '' ? name : id, note }]
}

/**
 * The audiences of the ad account: "Get all audiences" (dmp/custom_audience/list/) and "Create or delete an audience
 * segment" (segment/audience/), ads.tiktok.com/marketing_api/docs?id=1739940583739393. TikTok shortens a name of more than
 * 70 characters.
 */
export const peopleLists: PeopleLists<TikTokAudienceSettings> = {
  setting: 'audience_id',
  title: 'TikTok audience',
  maxTitle: 70,
  read: async (context, cursor) => {
    const page = cursor === '' ? 1 : Number(cursor)
    const query = new URLSearchParams({
      advertiser_id: context.settings.advertiser_id.trim(),
      page: String(page),
      page_size: String(pageSize),
    })
    const { data } = await ask(context, `dmp/custom_audience/list/?${query.toString()}`, { readBytes })
    const { list, page_info: info } = data
    const pages = isJsonObject(info) ? Number(info['total_page']) : 1
    return { lists: (Array.isArray(list) ? list : []).flatMap(listOf), next: page < pages ? String(page + 1) : '' }
  },
  facts: audienceFacts,
  create: async (context, title) => {
    const advertiser = context.settings.advertiser_id.trim()
    const body = { action: 'create', advertiser_id: advertiser, custom_audience_name: title }
    const { call, data } = await ask(context, 'segment/audience/', { body })
    const { audience_id: id } = data
    if (typeof id !== 'string' || !isNumber(id))
      throw new RetryableError('TikTok did not say what became of the audience', { exchange: call.exchange() })
    return { id, title, note: '' }
  },
}

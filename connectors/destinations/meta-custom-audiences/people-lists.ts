import {
  answerObject,
  type Call,
  isJsonObject,
  type PeopleList,
  type PeopleLists,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { ask, failureOf, hiddenOf } from '../../wire/meta/graph.ts'
import { audienceFacts, sizeOf } from './audience-facts.ts'
import type { Context } from './send-people.ts'
import { adAccountOf, type MetaSettings } from './settings.ts'

/** Audiences of a page. Segment reads as many (`facebook-custom-audiences/sync/hook-functions.ts`). */
const pageSize = 200

/** Maximum bytes of a page. */
const readBytes = 1024 * 1024

/** Returns the answer of a call. Throws the error of a call that failed. */
const answerOf = (context: Context, call: Call): Readonly<Record<string, unknown>> => {
  const failure = failureOf(call, context.clock(), 'ad account', hiddenOf(context))
  if (failure?.kind === 'retry') throw new RetryableError(failure.reason, { exchange: call.exchange() })
  if (failure !== undefined) throw new RejectedError(failure.reason, call.exchange())
  const answer = answerObject(call)
  if (answer === undefined) throw new RetryableError('Meta’s response is not JSON', { exchange: call.exchange() })
  return answer
}

/** Returns the size of an audience in words; '' if Meta has none. */
const noteOf = (audience: Readonly<Record<string, unknown>>): string => {
  const size = sizeOf(audience)
  return size === undefined ? '' : `${size} matched`
}

/** Returns a list to which people can be added: one of the subtype CUSTOM, which is made of people that were sent. */
const listOf = (audience: unknown): PeopleList[] => {
  if (!isJsonObject(audience)) return []
  const { id, name, subtype } = audience
  if (typeof id !== 'string' || !/^\d{5,30}$/.test(id) || (subtype !== undefined && subtype !== 'CUSTOM')) return []
  return [{ id, title: typeof name === 'string' && name !== '' ? name : id, note: noteOf(audience) }]
}

const cursorOf = (answer: Readonly<Record<string, unknown>>): string => {
  const { paging } = answer
  if (!isJsonObject(paging) || typeof paging['next'] !== 'string') return ''
  const after = isJsonObject(paging['cursors']) ? paging['cursors']['after'] : undefined
  return typeof after === 'string' ? after : ''
}

/**
 * The Custom Audiences of the ad account ("Ad Account, Custom Audiences",
 * developers.facebook.com/docs/marketing-api/reference/ad-account/customaudiences). A new one has the subtype CUSTOM, and
 * its people come from the company itself (`customer_file_source`).
 */
export const peopleLists: PeopleLists<MetaSettings> = {
  setting: 'audience_id',
  title: 'Custom Audience',
  // Our own choice: Meta's page names no limit.
  maxTitle: 100,
  read: async (context, cursor) => {
    const query = new URLSearchParams({
      fields: 'id,name,subtype,approximate_count_lower_bound,approximate_count_upper_bound',
      limit: String(pageSize),
      ...(cursor === '' ? {} : { after: cursor }),
    })
    const account = adAccountOf(context.settings.ad_account_id)
    const path = `act_${account}/customaudiences?${query.toString()}`
    const answer = answerOf(context, await ask(context, 'GET', path, undefined, hiddenOf(context), readBytes))
    const { data } = answer
    return { lists: (Array.isArray(data) ? data : []).flatMap(listOf), next: cursorOf(answer) }
  },
  facts: (context, id) => audienceFacts(context, encodeURIComponent(id)),
  create: async (context, title) => {
    const account = adAccountOf(context.settings.ad_account_id)
    const call = await ask(context, 'POST', `act_${account}/customaudiences`, {
      name: title,
      subtype: 'CUSTOM',
      customer_file_source: 'USER_PROVIDED_ONLY',
    })
    const { id } = answerOf(context, call)
    if (typeof id !== 'string' || !/^\d{5,30}$/.test(id))
      throw new RetryableError('Meta did not say what became of the audience', { exchange: call.exchange() })
    return { id, title, note: '' }
  },
}

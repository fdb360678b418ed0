import { ConfigurationError, isJsonObject, type PeopleListFact, RetryableError } from '@tributary/connector-kit'
import { askTikTok, dataOf, hiddenOf, outcomeOf } from '../../wire/tiktok/business-api.ts'
import type { Context } from './send-people.ts'

/**
 * Reads an audience ("Obtain the details of specified audiences", `dmp/custom_audience/get/`). Throws ConfigurationError
 * if there is none with this ID.
 */
export const readAudience = async (context: Context, id: string): Promise<Readonly<Record<string, unknown>>> => {
  const query = new URLSearchParams({
    advertiser_id: context.settings.advertiser_id.trim(),
    custom_audience_ids: JSON.stringify([id]),
  })
  const call = await askTikTok(context, `dmp/custom_audience/get/?${query.toString()}`)
  const outcome = outcomeOf(call, { now: context.clock(), hidden: hiddenOf(context), items: 'audience' })
  if (outcome.kind === 'rejected')
    throw new ConfigurationError(`TikTok does not find the audience: ${outcome.reason}`, call.exchange())
  if (outcome.kind !== 'delivered') throw new RetryableError(outcome.reason, { exchange: call.exchange() })
  const { list } = dataOf(call)
  const [first] = Array.isArray(list) ? list : []
  const details = isJsonObject(first) ? first['audience_details'] : undefined
  if (!isJsonObject(details)) throw new ConfigurationError('TikTok does not find the audience', call.exchange())
  return details
}

/** Returns the state of an audience at TikTok: whether ads can use it, or the reason in its own words. */
const stateOf = ({ is_valid, is_expiring, error_msg, msg }: Readonly<Record<string, unknown>>): string => {
  const words = [error_msg, msg].find((text) => typeof text === 'string' && text.trim() !== '')
  if (typeof words === 'string') return words
  if (is_valid !== true) return 'Not ready: TikTok still computes it, or it has expired'
  return is_expiring === true ? 'Ready, and expires soon' : 'Ready'
}

/** Reads the size and the state of an audience. Rejects like `readAudience`. */
export const audienceFacts = async (context: Context, id: string): Promise<PeopleListFact[]> => {
  const audience = await readAudience(context, id)
  const { name: title, cover_num: size } = audience
  return [
    ...(typeof title === 'string' ? [{ title: 'Audience', value: title }] : []),
    ...(typeof size === 'number' ? [{ title: 'Matched people', value: size.toLocaleString('en-US') }] : []),
    { title: 'Status at TikTok', value: stateOf(audience) },
  ]
}

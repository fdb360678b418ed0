import {
  answerObject,
  type DeliverContext,
  isJsonObject,
  type PeopleList,
  type PeopleListFact,
  type PeopleLists,
  RejectedError,
  RetryableError,
  withGrant,
} from '@tributary/connector-kit'
import { askUserLists, verdictOf } from '../../wire/google/data-manager.ts'
import { matchRateOf } from './match-rate.ts'
import { type CustomerMatchSettings, isList } from './settings.ts'

type Context = DeliverContext<CustomerMatchSettings>

/** Lists of a page. Google returns at most 1,000 ("ListUserListsRequest"); half as many keep the response small. */
const pageSize = 500

/** The types of lists by the setting ("IngestedUserListInfo", UploadKeyType). */
const keyTypes = { contact: 'CONTACT_ID', mobile: 'MOBILE_ID', user: 'USER_ID' } as const

/** Calls Google about the lists of the account. Throws the error of a call that failed. */
const ask = async (context: Context, path: string, body?: unknown) => {
  const asked = await askUserLists(withGrant(context), path, body)
  const { outcome } = verdictOf(asked, { count: 0, target: 'customer list', now: context.clock() })
  const exchange = asked.call.exchange()
  if (outcome.kind === 'retry') throw new RetryableError(outcome.reason, { exchange })
  if (outcome.kind !== 'delivered') throw new RejectedError(outcome.reason, exchange)
  return { answer: answerObject(asked.call) ?? {}, exchange }
}

/** Returns the ID of a list. Google writes 64-bit numbers as texts. */
const idOf = ({ id, name }: Readonly<Record<string, unknown>>): string => {
  const written = typeof id === 'string' || typeof id === 'number' ? String(id) : ''
  return written === '' && typeof name === 'string' ? (name.split('/').at(-1) ?? '') : written
}

/** Returns a list that people can be added to, if it has the type of the settings. */
const listOf = (found: unknown, type: CustomerMatchSettings['list_type']): PeopleList[] => {
  if (!isJsonObject(found) || found['readOnly'] === true) return []
  const info = isJsonObject(found['ingestedUserListInfo']) ? found['ingestedUserListInfo'] : {}
  const types = Array.isArray(info['uploadKeyTypes']) ? info['uploadKeyTypes'] : []
  const id = idOf(found)
  if (!types.includes(keyTypes[type]) || !isList(id)) return []
  const { displayName: title, membershipStatus: status } = found
  return [
    { id, title: typeof title === 'string' && title !== '' ? title : id, note: status === 'CLOSED' ? 'closed' : '' },
  ]
}

const networks = [
  ['searchNetworkMembersCount', 'Matched in Search'],
  ['youtubeMembersCount', 'Matched on YouTube'],
  ['gmailMembersCount', 'Matched in Gmail'],
  ['displayNetworkMembersCount', 'Matched in Display'],
] as const

/** Returns the numbers of people by network ("SizeInfo"). Google writes 64-bit numbers as texts. */
const sizesOf = (list: Readonly<Record<string, unknown>>): PeopleListFact[] => {
  const sizes = isJsonObject(list['sizeInfo']) ? list['sizeInfo'] : {}
  return networks.flatMap(([name, title]) => {
    const size = Number(sizes[name] ?? Number.NaN)
    return Number.isSafeInteger(size) ? [{ title, value: size.toLocaleString('en-US') }] : []
  })
}

const statuses: Readonly<Record<string, string>> = { OPEN: 'Open', CLOSED: 'Closed: no one is added' }

const factsOf = (list: Readonly<Record<string, unknown>>): PeopleListFact[] => {
  const { displayName: name, membershipStatus: status } = list
  const rate = matchRateOf(list)
  const words = typeof status === 'string' ? statuses[status] : undefined
  return [
    ...(typeof name === 'string' ? [{ title: 'Customer list', value: name }] : []),
    { title: 'Match rate', value: rate === undefined ? 'Not known yet' : `${rate}%` },
    ...sizesOf(list),
    ...(words === undefined ? [] : [{ title: 'Status at Google', value: words }]),
  ]
}

/**
 * Returns what a new list of the type has ("ContactIdInfo", "MobileIdInfo", and "UserIdInfo"). Google fixes it when the
 * list is created. Mobile IDs need the app that they come from.
 */
const infoOf = ({ list_type: type, mobile_system: system, mobile_app_id: app }: CustomerMatchSettings) => {
  const source = { dataSourceType: 'DATA_SOURCE_TYPE_FIRST_PARTY' }
  if (type === 'contact') return { contactIdInfo: source }
  if (type === 'user') return { userIdInfo: source }
  const appId = app?.trim() ?? ''
  if (appId === '')
    throw new RejectedError('A list of mobile IDs belongs to an app. Enter the app ID in the settings first')
  return { mobileIdInfo: { ...source, keySpace: system, appId } }
}

/**
 * The customer lists of the account: ListUserLists and CreateUserList of "UserListService"
 * (developers.google.com/data-manager/api/devguides/audiences/google-ads/customer-match/create-audience). A person stays
 * in a new list for the longest time that Google allows, because an exit removes the person.
 */
export const peopleLists: PeopleLists<CustomerMatchSettings> = {
  setting: 'list_id',
  title: 'customer list',
  // Our own choice: Google's page names no limit.
  maxTitle: 100,
  read: async (context, cursor) => {
    const query = new URLSearchParams({ pageSize: String(pageSize), ...(cursor === '' ? {} : { pageToken: cursor }) })
    const { answer } = await ask(context, `?${query.toString()}`)
    const { userLists: found, nextPageToken: next } = answer
    const { list_type: type } = context.settings
    return {
      lists: (Array.isArray(found) ? found : []).flatMap((list) => listOf(list, type)),
      next: typeof next === 'string' ? next : '',
    }
  },
  facts: async (context, id) => factsOf((await ask(context, `/${encodeURIComponent(id)}`)).answer),
  create: async (context, title) => {
    const { list_type: type } = context.settings
    const info = { uploadKeyTypes: [keyTypes[type]], ...infoOf(context.settings) }
    const { answer, exchange } = await ask(context, '', { displayName: title, ingestedUserListInfo: info })
    const id = idOf(answer)
    if (!isList(id)) throw new RetryableError('Google did not say what became of the list', { exchange })
    return { id, title, note: '' }
  },
}

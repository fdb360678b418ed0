import {
  answerObject,
  ConfigurationError,
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  type OutgoingEvent,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { askDataManager, askUserLists, customerOf, destinationOf, verdictOf } from '../../wire/google/data-manager.ts'
import { type Group, sendGroups } from '../../wire/google/data-manager-groups.ts'
import { matchRateOf } from './match-rate.ts'
import { type Member, memberOf } from './member.ts'
import type { CustomerMatchSettings } from './settings.ts'

type Context = DeliverContext<CustomerMatchSettings>

/** The receiver of people, as messages name it. */
const target = 'customer list'

const termsProblem = 'Accept the Customer Match terms in Google Ads, and turn on their setting'

/** Maximum people of a request ("IngestAudienceMembersRequest"). */
const peopleAtOnce = 10_000

/** Sends people to `audienceMembers:ingest` or `audienceMembers:remove`. */
const ask = (context: Context, { listId, method }: Member, members: readonly unknown[]) => {
  const { validate_only, list_type } = context.settings
  const terms = { customerMatchTermsOfServiceStatus: 'ACCEPTED' }
  return askDataManager(context, `audienceMembers:${method}`, {
    destinations: [destinationOf(context.settings, listId)],
    audienceMembers: members,
    ...(list_type === 'contact' ? { encoding: 'HEX' } : {}),
    ...(method === 'ingest' ? { termsOfService: terms } : {}),
    ...(validate_only ? { validateOnly: true } : {}),
  })
}

/** Groups consecutive people of one list who are all added or all removed, so that changes keep their order. */
const groupsOf = (context: Context, members: readonly Member[]): Group[] => {
  const groups: { first: Member; items: { at: number; body: unknown }[] }[] = []
  for (const [at, one] of members.entries()) {
    const last = groups.at(-1)
    const { listId, namedBy, method } = one
    const isSame = last?.first.listId === listId && last.first.namedBy === namedBy && last.first.method === method
    if (last !== undefined && isSame && last.items.length < peopleAtOnce) last.items.push({ at, body: one.member })
    else groups.push({ first: one, items: [{ at, body: one.member }] })
  }
  return groups.map(({ first, items }) => ({
    target,
    receiver: first.listId,
    items,
    ask: (bodies) => ask(context, first, bodies),
    read: (asked, facts) => verdictOf(asked, { ...facts, target, namedBy: first.namedBy }),
  }))
}

const send = (context: Context, members: readonly Member[]): Promise<Sent> =>
  sendGroups(groupsOf(context, members), { count: members.length, clock: context.clock })

/** Adds people to customer lists and removes them, in the order of the events. Adding a person twice changes nothing. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const granted = withGrant(context)
  return sendPrepared(
    batch,
    (event) => memberOf(event, context.settings),
    (members) => {
      if (!context.settings.terms_accepted && members.some(({ method }) => method === 'ingest'))
        throw new ConfigurationError(termsProblem)
      return send(granted, members)
    },
  )
}

/** Reads the customer list of the settings, or without one the first list of the account. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { customer_id, list_id, terms_accepted } = context.settings
    const path = list_id === undefined ? '?pageSize=1' : `/${encodeURIComponent(list_id.trim())}`
    const asked = await askUserLists(withGrant(context), path)
    const { outcome } = verdictOf(asked, { count: 0, target, now: context.clock() })
    if (outcome.kind !== 'delivered')
      return { ok: false, message: `Google Ads can't be used right now: ${outcome.reason}` }
    const list = answerObject(asked.call) ?? {}
    const name = list['displayName']
    if (list_id !== undefined && typeof name !== 'string') return { ok: false, message: 'What answered is not Google' }
    if (!terms_accepted) return { ok: false, message: `${termsProblem}.` }
    const customer = customerOf(customer_id).replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
    const end = endOf(apiVersions.google, context.clock())
    const rate = matchRateOf(list)
    const rateWords = rate === undefined ? '' : ` Google matches ${rate}% of its people.`
    if (list_id === undefined)
      return { ok: true, message: `Connected to the account ${customer}. Choose a list.${end}` }
    return { ok: true, message: `Connected to the list ${String(name)} of ${customer}.${rateWords}${end}` }
  })

import {
  type Call,
  ConfigurationError,
  createHeldGroups,
  createRefusedInRow,
  type DeliverContext,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
} from '@tributary/connector-kit'
import { wrongList } from '../../wire/conversions/named-list.ts'
import type { Sent } from '../../wire/conversions/send-prepared.ts'
import { askTikTok, codeOf, hiddenOf, invalidParameter, outcomeOf } from '../../wire/tiktok/business-api.ts'
import { idKinds } from './match-ids.ts'
import type { Person } from './person.ts'
import type { TikTokAudienceSettings } from './settings.ts'

export type Context = DeliverContext<TikTokAudienceSettings>

/** Maximum people of one request. TikTok's page was not seen; Segment and Tealium send as many. */
const peopleAtOnce = 1000

/** People of one request, with their places in the batch. */
type Group = Pick<Person, 'audienceId' | 'namedBy' | 'action'> & { people: { at: number; person: Person }[] }

/** Groups consecutive people with the same audience and action, so that changes keep their order. */
const groupsOf = (people: readonly Person[]): Group[] => {
  const groups: Group[] = []
  for (const [at, person] of people.entries()) {
    const { audienceId, namedBy, action } = person
    const last = groups.at(-1)
    const isSame = last?.audienceId === audienceId && last.namedBy === namedBy && last.action === action
    if (last !== undefined && isSame && last.people.length < peopleAtOnce) last.people.push({ at, person })
    else groups.push({ audienceId, namedBy, action, people: [{ at, person }] })
  }
  return groups
}

/**
 * Returns the body of a request. Each person has one item for each kind of ID, which is empty if the person lacks it
 * (Segment, `tiktok-audiences/functions.ts`; RudderStack, `tiktok_audience/transform.ts`).
 */
const bodyOf = ({ audienceId, action, people }: Group, advertiserId: string) => {
  const kinds = idKinds.filter((kind) => people.some(({ person }) => person.ids.has(kind)))
  return {
    advertiser_ids: [advertiserId],
    action,
    id_schema: kinds,
    batch_data: people.map(({ person: { ids } }) =>
      kinds.map((kind) => {
        const id = ids.get(kind)
        return id === undefined ? {} : { id, audience_ids: [audienceId] }
      }),
    ),
  }
}

/** Returns whether TikTok refuses the audience or the ad account, and not a person: a request names one of each. */
const refusedOf = (call: Call, reason: string): 'audience' | 'advertiser' | undefined => {
  if (codeOf(call) !== invalidParameter) return undefined
  if (/\baudience/i.test(reason)) return 'audience'
  return /advertiser/i.test(reason) ? 'advertiser' : undefined
}

/** What became of a request. `isForAll` is true for an outcome that all people of the request share. */
type Answer = { call: Call; outcome: EventOutcome; isForAll: boolean }

/**
 * Sends a group. Throws ConfigurationError for the audience of the settings or a sync, and for the ad account. Another
 * audience concerns only its own people.
 */
const ask = async (context: Context, group: Group): Promise<Answer> => {
  const hidden = hiddenOf(context)
  const body = bodyOf(group, context.settings.advertiser_id.trim())
  const call = await askTikTok(context, 'segment/mapping/', { body, hidden })
  const outcome = outcomeOf(call, { now: context.clock(), hidden, items: 'people' })
  const refused = outcome.kind === 'rejected' ? refusedOf(call, outcome.reason) : undefined
  if (outcome.kind !== 'rejected' || refused === undefined) return { call, outcome, isForAll: false }
  const reason = `TikTok does not take the audience: ${outcome.reason}`
  if (refused === 'advertiser' || group.namedBy === 'settings') throw new ConfigurationError(reason, call.exchange())
  return { call, outcome: wrongList(group.namedBy, reason), isForAll: true }
}

/**
 * Adds people to audiences and removes them, in their order. TikTok says nothing of single people, so a refused request
 * is sent again in halves until each refused person is found; adding or removing a person twice changes nothing. After a
 * request that must be retried, no more requests are sent. If TikTok refuses an audience of the settings, a sync, or a
 * mapping, its people wait, and those of other audiences are sent. If an event names it, its people are rejected. Rejects with a DeliveryError if no person has an outcome yet, or if all wait for a user.
 */
export const sendPeople = async (
  context: Context,
  people: readonly Person[],
): Promise<Sent & { outcomes: readonly EventOutcome[] }> => {
  const outcomes: (EventOutcome | undefined)[] = people.map(() => undefined)
  let shown: Answer | undefined
  let latencyMs = 0
  const refused = createRefusedInRow()
  let rest: EventOutcome = { kind: 'retry', reason: 'Not sent, because an earlier request is retried' }
  const held = createHeldGroups<string>()
  const settle = (group: Group, outcome: EventOutcome): void => {
    for (const { at } of group.people) outcomes[at] = outcome
  }

  /** Sends a group; returns false if the rest is sent later. */
  const send = async (group: Group): Promise<boolean> => {
    const answer = await ask(context, group)
    const { outcome, call, isForAll } = answer
    latencyMs += call.answer.latencyMs
    if (shown === undefined || (shown.outcome.kind === 'delivered' && outcome.kind !== 'delivered')) shown = answer
    const { people: those } = group
    held.answered(group.audienceId, outcome)
    if (!isForAll && outcome.kind === 'rejected' && those.length > 1) {
      const middle = Math.ceil(those.length / 2)
      return (
        (await send({ ...group, people: those.slice(0, middle) })) &&
        (await send({ ...group, people: those.slice(middle) }))
      )
    }
    settle(group, outcome)
    const later = those.length === 1 && !isForAll ? refused.note(outcome) : undefined
    rest = later ?? rest
    return later === undefined && (outcome.kind !== 'retry' || outcome.misconfigured === true)
  }

  let heldExchange: Exchange | undefined
  /** Sends a group, or holds it if the set-up of its audience is wrong. Returns false if the rest is sent later. */
  const sendOrHold = async (group: Group): Promise<boolean> => {
    let outcome = held.heldOutcome(group.audienceId)
    try {
      if (outcome === undefined) return await send(group)
    } catch (error) {
      outcome = held.hold(group.audienceId, error)
      if (error instanceof DeliveryError) heldExchange ??= error.exchange
    }
    for (const { at } of group.people) outcomes[at] ??= outcome
    return true
  }

  try {
    for (const group of groupsOf(people)) if (!(await sendOrHold(group))) break
  } catch (error) {
    if (!(error instanceof DeliveryError) || outcomes.every((outcome) => outcome === undefined)) throw error
    rest = failedOutcome(error)
  }
  const all = held.settled(outcomes.map((outcome) => outcome ?? rest))
  const call = shown?.call
  if (call === undefined) return { outcomes: all, httpStatus: 0, latencyMs }
  if (all.every(({ kind }) => kind === 'delivered')) return { outcomes: all, httpStatus: call.answer.status, latencyMs }
  const exchange = shown?.outcome.kind === 'delivered' ? (heldExchange ?? call.exchange()) : call.exchange()
  return { outcomes: all, ...exchange, latencyMs }
}

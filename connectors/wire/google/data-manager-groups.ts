import {
  createHeldGroups,
  createRefusedInRow,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  failedOutcome,
  resultOfCall,
} from '@tributary/connector-kit'
import type { Sent } from '../conversions/send-prepared.ts'
import { type Asked, type Verdict, verdictOf } from './data-manager.ts'

/** Maximum number of times that the remaining items are sent again without the refused ones. */
const maxRounds = 4

/**
 * An item of a request, and its place in the batch. While Google has another item with its time, it is sent once more
 * with the next body of `later`, which has a later time.
 */
export type Item = { at: number; body: unknown; later?: readonly unknown[] }

/**
 * Items of one request. `target` names what receives them, for users. Groups of the same `receiver` keep their order.
 * `read` reads the responses of another API.
 */
export type Group = {
  target: string
  receiver?: string
  items: readonly Item[]
  ask: (bodies: readonly unknown[]) => Promise<Asked>
  read?: (asked: Asked, facts: { count: number; now: number }) => Verdict
}

type Settled = {
  outcomes: (EventOutcome | undefined)[]
  shown: Omit<DeliverResult, 'outcomes'>
  latencyMs: number
  /** The outcome of items that are not sent. */
  rest: EventOutcome
}

type State = {
  clock: () => number
  /** Notes the outcome of an answered request. */
  answered: (outcome: EventOutcome) => void
  refusedInRow: ReturnType<typeof createRefusedInRow>
}

/**
 * Sends a group. Google accepts a request completely or not at all, and names the faulty items ("Understand API
 * errors", fast-fail model). The other items are then sent again; if no item is named, in halves. Returns false if an
 * item must be retried before others are sent.
 */
const sendGroup = async (
  { items, ...group }: Group,
  settled: Settled,
  state: State,
  { round = 0, isPart = false } = {},
): Promise<boolean> => {
  const { target, ask, read } = group
  const { clock, answered, refusedInRow } = state
  const sent = await ask(items.map(({ body }) => body))
  const facts = { count: items.length, now: clock() }
  const { outcome, refused, apart = new Map(), sameTime } = read?.(sent, facts) ?? verdictOf(sent, { ...facts, target })
  answered(outcome)
  settled.latencyMs += sent.call.answer.latencyMs
  if (settled.shown.request === undefined) settled.shown = resultOfCall(sent.call, [outcome, ...apart.values()])
  const settle = (those: readonly Item[], one: EventOutcome | undefined): void => {
    for (const { at } of those) settled.outcomes[at] = one
  }
  if (outcome.kind !== 'rejected' || items.length === 1) {
    const words = refused.get(0)
    const own = outcome.kind === 'rejected' && words !== undefined ? { ...outcome, reason: words } : outcome
    settle(items, own)
    const later = isPart && items.length === 1 ? refusedInRow.note(own) : undefined
    settled.rest = later ?? settled.rest
    for (const [index, one] of apart) settle(items.slice(index, index + 1), one)
    const again = items.flatMap(({ at, later = [] }, index): Item[] => {
      const [body, ...rest] = later
      return body !== undefined && sameTime?.has(index) === true ? [{ at, body, later: rest }] : []
    })
    if (again.length > 0) {
      // Without a response to the second try, these items have no outcome.
      settle(again, undefined)
      return await sendGroup({ ...group, items: again }, settled, state, { round, isPart })
    }
    return later === undefined && (outcome.kind !== 'retry' || outcome.misconfigured === true)
  }
  if (refused.size === 0) {
    const middle = Math.ceil(items.length / 2)
    return (
      (await sendGroup({ ...group, items: items.slice(0, middle) }, settled, state, { round, isPart: true })) &&
      (await sendGroup({ ...group, items: items.slice(middle) }, settled, state, { round, isPart: true }))
    )
  }
  for (const [index, reason] of refused) {
    const item = items[index]
    if (item !== undefined) settle([item], { kind: 'rejected', reason })
  }
  const rest = items.filter((_, index) => !refused.has(index))
  if (rest.length === 0) return true
  if (round < maxRounds) return await sendGroup({ ...group, items: rest }, settled, state, { round: round + 1, isPart })
  settle(rest, { kind: 'retry', reason: 'Not sent, because Google refused others of the request' })
  return false
}

/** Shows the request of an error if no other is shown. */
const showError = (settled: Settled, error: unknown): void => {
  const exchange = error instanceof DeliveryError ? error.exchange : undefined
  if (settled.shown.request === undefined && exchange !== undefined) settled.shown = exchange
}

/** Sends groups until the rest must be sent later. A group that waits for a user stops only those with the same receiver. */
const sendEach = async (
  groups: readonly Group[],
  settled: Settled,
  { clock, held }: { clock: () => number; held: ReturnType<typeof createHeldGroups> },
): Promise<void> => {
  const refusedInRow = createRefusedInRow()
  for (const [index, group] of groups.entries()) {
    const key = group.receiver ?? index
    let outcome = held.heldOutcome(key)
    try {
      if (outcome === undefined) {
        const answered = (one: EventOutcome): void => held.answered(key, one)
        if (!(await sendGroup(group, settled, { clock, answered, refusedInRow }))) return
      }
    } catch (error) {
      outcome = held.hold(key, error)
      showError(settled, error)
    }
    if (outcome !== undefined) for (const { at } of group.items) settled.outcomes[at] ??= outcome
  }
}

/**
 * Sends groups one after the other, and returns the outcomes of a batch of `count` items. After a group that must be
 * retried, no more are sent. A group that waits for a user, such as one with an unknown conversion action, does not stop
 * the others. Rejects with a DeliveryError if no item has an outcome yet, or if all wait for a user.
 */
export const sendGroups = async (
  groups: readonly Group[],
  { count, clock }: { count: number; clock: () => number },
): Promise<Sent & { outcomes: readonly EventOutcome[] }> => {
  const settled: Settled = {
    outcomes: Array.from({ length: count }, () => undefined),
    shown: { httpStatus: 0, latencyMs: 0 },
    latencyMs: 0,
    rest: { kind: 'retry', reason: 'Not sent, because an earlier request is retried' },
  }
  const held = createHeldGroups()
  try {
    await sendEach(groups, settled, { clock, held })
  } catch (error) {
    if (!(error instanceof DeliveryError) || settled.outcomes.every((outcome) => outcome === undefined)) throw error
    settled.rest = failedOutcome(error)
  }
  return {
    ...settled.shown,
    latencyMs: settled.latencyMs,
    outcomes: held.settled(settled.outcomes.map((outcome) => outcome ?? settled.rest)),
  }
}

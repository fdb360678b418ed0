import type { DeliverContext, DeliverResult, EventOutcome, Exchange } from '../../definition/definition.ts'
import { ConfigurationError, DeliveryError } from '../../errors.ts'
import { failedOutcome } from '../../http/failed-outcome.ts'
import { createHeldGroups } from '../../http/held-groups.ts'
import { createRefusedInRow } from '../../http/refused-in-row.ts'
import type { Reading } from '../answers/read-answer.ts'
import { type Described, openEnvelope, requestOf } from '../requests/open-request.ts'
import { lookUp, type Sent, sendRead } from '../requests/send-read.ts'
import { TreeProblem } from '../templates/render-tree.ts'
import { makeUnits, requestsOf, type Sending, type Unit } from './make-units.ts'

/** How often items that the vendor did not accept are sent again without the refused ones. */
const maxRounds = 5
/** After so many failures in a row, the rest of a batch waits for its next attempt. */
const maxFailures = 3
/** Lookups of one event, each after one that found nothing. */
const maxLookUps = 3

/** A record to change is not there. */
class NotThere extends Error {}

/** Sends one request and reads its answer. Throws ConfigurationError if a user has to change the settings. */
const sendUnits = async (described: Described, units: readonly Unit[], context: DeliverContext): Promise<Sent> => {
  const [first] = units
  if (first === undefined) throw new Error('A request has no events')
  const items = units.flatMap((unit) => unit.items)
  let { name, envelope } = first
  const names = new Set<string>()
  for (let { find } = first.request; find !== undefined; ) {
    names.add(name)
    if (names.size > maxLookUps) throw new TreeProblem(`More than ${maxLookUps} lookups lead to each other`)
    const looked = await lookUp(described, envelope, find.value, context)
    if ('reading' in looked) return looked
    const { found } = looked
    const chosen = found === undefined ? find.otherwise : name
    if (chosen === undefined) throw new NotThere('There is no such record')
    const scope = { ...first.scope, variables: { ...first.scope.variables, item: items[0]?.value, found } }
    name = chosen
    // A request that names itself is sent in both cases.
    find = names.has(name) ? undefined : requestOf(described, name).find
    envelope = openEnvelope(described, find?.request ?? name, scope, context.settings)
  }
  return await sendRead(described, envelope, items, context)
}

/** The outcome of an event whose items an answer names. Its accepted records are never sent again. */
const namedOutcome = (own: readonly (EventOutcome | undefined)[], others: EventOutcome): EventOutcome | undefined => {
  const failed = own.filter((outcome) => outcome !== undefined && outcome.kind !== 'delivered')
  const [first] = failed
  if (first === undefined) return undefined
  if (failed.length === own.length) return failed.find(({ kind }) => kind === 'rejected') ?? first
  const reasons = [...failed, others].flatMap((outcome) => ('reason' in outcome ? [outcome.reason] : [])).join('; ')
  return { kind: 'delivered', note: `${failed.length} of ${own.length} records were refused: ${reasons}` }
}

/** Creates the sender of one batch, with the outcomes that are known before anything is sent. */
const createSender = (described: Described, context: DeliverContext, outcomes: (EventOutcome | undefined)[]) => {
  let shown: Exchange | undefined
  let httpStatus = 0
  let latencyMs = 0
  let requests = 0
  let failures = 0
  let stopped: EventOutcome | undefined
  const refused = createRefusedInRow()
  /** The addresses whose requests wait for a user. */
  const addresses = createHeldGroups<string>()

  /** The keys of records with a change that is sent again later. Further changes of them wait, too. */
  const waiting = new Set<string>()

  const settle = (units: readonly Unit[], outcome: EventOutcome): void => {
    for (const { index, keys } of units) {
      outcomes[index] = outcome
      if (outcome.kind === 'retry') for (const key of keys) waiting.add(key)
    }
  }

  /** Settles the only event of a part of a request. */
  const settleAlone = (units: readonly Unit[], outcome: EventOutcome): void => {
    settle(units, outcome)
    stopped = refused.note(outcome)
  }

  const fail = (units: readonly Unit[], outcome: EventOutcome, isOver: boolean): void => {
    failures++
    settle(units, outcome)
    if (isOver || failures >= maxFailures) stopped = outcome
  }

  const settleNamed = async (
    units: readonly Unit[],
    { named, others }: Extract<Reading, { kind: 'items' }>,
    round: number,
  ): Promise<void> => {
    const rest: Unit[] = []
    let position = 0
    for (const unit of units) {
      const own = unit.items.map((_, at) => named.get(position + at))
      position += unit.items.length
      // An event that the vendor has in part is sent again with its other items.
      const isNamed = own.some((outcome) => outcome !== undefined && outcome.kind !== 'delivered')
      const isThere = own.length > 0 && own.every((outcome) => outcome?.kind === 'delivered')
      if (!isNamed && !isThere) rest.push(unit)
      // If none of the items was accepted, one refused item refuses its event.
      else {
        const failed = own.find((one) => one !== undefined && one.kind !== 'delivered')
        const outcome = others === 'not_accepted' ? failed : namedOutcome(own, others)
        settle([unit], outcome ?? { kind: 'delivered' })
      }
    }
    if (others !== 'not_accepted') return settle(rest, others)
    if (rest.length === 0) return
    if (round >= maxRounds)
      return settle(rest, { kind: 'retry', reason: 'Not accepted, because other events were refused' })
    await send(rest, round + 1)
  }

  /** Sends units and settles them. The first request of a batch can fail all events by throwing. */
  const send = async (given: readonly Unit[], round = 0, isPart = false): Promise<void> => {
    if (stopped !== undefined) return settle(given, stopped)
    const isHeld = ({ keys }: Unit): boolean => keys.some((key) => waiting.has(key))
    const held = given.filter(isHeld)
    const units = given.filter((unit) => !isHeld(unit))
    settle(held, { kind: 'retry', reason: 'Waits for an earlier change of the same record' })
    const [first] = units
    if (first === undefined) return
    const { href } = first.envelope.open.url
    const waits = addresses.heldOutcome(href)
    if (waits !== undefined) return settle(units, waits)
    requests++
    let sent: Sent
    try {
      sent = await sendUnits(described, units, context)
    } catch (error) {
      if (error instanceof TreeProblem) return settle(units, { kind: 'rejected', reason: error.message })
      if (error instanceof NotThere) return settle(units, { kind: 'skipped', reason: error.message })
      const isWrongSetup = error instanceof ConfigurationError
      if (!(error instanceof DeliveryError) || (requests === 1 && !isWrongSetup)) throw error
      shown ??= error.exchange
      return isWrongSetup ? settle(units, addresses.hold(href, error)) : fail(units, failedOutcome(error), true)
    }
    const { call, reading } = sent
    addresses.answered(href, reading.kind === 'all' ? reading.outcome : { kind: 'delivered' })
    latencyMs += call.answer.latencyMs
    if (httpStatus === 0) httpStatus = call.answer.status
    const isWhole = reading.kind === 'all' && reading.outcome.kind === 'delivered'
    if (!isWhole) shown ??= call.exchange()
    if (reading.kind === 'items') {
      failures = 0
      return await settleNamed(units, reading, round)
    }
    const { outcome } = reading
    if (outcome.kind === 'retry') return fail(units, outcome, call.answer.status === 429)
    failures = 0
    if (outcome.kind === 'delivered') refused.note(outcome)
    if (isPart && units.length === 1) return settleAlone(units, outcome)
    if (!reading.split || units.length < 2) return settle(units, outcome)
    const middle = Math.ceil(units.length / 2)
    await send(units.slice(0, middle), round, true)
    await send(units.slice(middle), round, true)
  }

  const result = (): DeliverResult & { outcomes: readonly EventOutcome[] } => {
    const all = outcomes.map((outcome): EventOutcome => outcome ?? { kind: 'retry', reason: 'Not sent' })
    const whole = addresses.settled(all)
    if (whole.every((outcome) => outcome.kind === 'delivered' && outcome.note === undefined))
      return { outcomes: whole, httpStatus, latencyMs }
    const { request = '', response = '' } = shown ?? {}
    return { outcomes: whole, httpStatus: shown?.httpStatus ?? httpStatus, latencyMs, request, response }
  }
  return { send, result }
}

/**
 * Delivers a batch as its description says: events of one request together, within its limits. Each event has its own
 * outcome. If the vendor refuses a request and names no event, the request is sent again in halves. If an answer accepts
 * some records of a request, and names none of the refused ones, none is sent again. A wrong set-up holds only the
 * events for the same address. Throws a DeliveryError if the first request fails for all events, or if all wait for a user.
 */
export const deliverEvents = async (
  described: Described,
  batch: readonly Sending[],
  context: DeliverContext,
): Promise<DeliverResult & { outcomes: readonly EventOutcome[] }> => {
  const { units, outcomes } = await makeUnits(described, batch, context.settings)
  const sender = createSender(described, context, outcomes)
  for (const those of requestsOf(units)) await sender.send(those)
  return sender.result()
}

import {
  type Call,
  createRefusedInRow,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
  RejectedError,
  waitingAlone,
} from '@tributary/connector-kit'

/** An item of a request, its index in the batch, and its bytes as the receiver counts them. */
export type GroupItem<T> = { readonly index: number; readonly bytes: number; readonly value: T }

/** Returns groups of items within the limits of a request, in their order. */
export const groupsWithin = <T>(
  items: readonly GroupItem<T>[],
  limits: { items: number; bytes: number },
): GroupItem<T>[][] => {
  const groups: GroupItem<T>[][] = []
  let size = 0
  for (const item of items) {
    const last = groups.at(-1)
    if (last === undefined || last.length >= limits.items || size + item.bytes > limits.bytes) {
      groups.push([item])
      size = item.bytes
    } else {
      last.push(item)
      size += item.bytes
    }
  }
  return groups
}

/** The requests of a batch. */
type Sendable<T> = {
  /** Number of items of the batch. */
  count: number
  /** Outcomes of items that are in no group. */
  refused?: ReadonlyMap<number, EventOutcome>
  groups: readonly (readonly GroupItem<T>[])[]
  /** Sends a group, and returns an outcome for each of its items. A RejectedError is about the content of the group. */
  send: (values: readonly T[]) => Promise<{ call: Call; outcomes: readonly EventOutcome[] }>
}

/** The state of one delivery. */
type Sending = {
  outcomes: (EventOutcome | undefined)[]
  latencyMs: number
  httpStatus: number
  failed?: Exchange
  inRow: ReturnType<typeof createRefusedInRow>
  /** The outcome of the items that are not sent, after many refusals for one reason. */
  rest?: EventOutcome | undefined
}

type Noted = EventOutcome | undefined

const note = (sending: Sending, items: readonly GroupItem<unknown>[], outcomeAt: (at: number) => Noted): void => {
  for (const [at, { index }] of items.entries()) sending.outcomes[index] = outcomeAt(at)
}

const sendGroup = async <T>(
  send: Sendable<T>['send'],
  items: readonly GroupItem<T>[],
  sending: Sending,
): Promise<void> => {
  const { rest } = sending
  if (rest !== undefined) return note(sending, items, () => rest)
  try {
    const { call, outcomes } = await send(items.map(({ value }) => value))
    sending.latencyMs += call.answer.latencyMs
    sending.httpStatus = call.answer.status
    note(sending, items, (at) => outcomes[at])
    sending.inRow.note({ kind: 'delivered' })
    if (outcomes.some(({ kind }) => kind !== 'delivered')) sending.failed ??= call.exchange()
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error
    if (items.length === 1) {
      const outcome = failedOutcome(error)
      sending.rest = sending.inRow.note(outcome)
      if (error.exchange !== undefined) sending.failed ??= error.exchange
      return note(sending, items, () => outcome)
    }
    const half = Math.ceil(items.length / 2)
    await sendGroup(send, items.slice(0, half), sending)
    await sendGroup(send, items.slice(half), sending)
  }
}

/**
 * Sends the groups of a batch one after the other. A group that is refused for its content is sent in halves. After a
 * failed request, the items of further groups wait. Items that the receiver accepted are never sent again. Rejects with
 * the error of a request if no item was accepted before it.
 */
export const sendGroups = async <T>({ count, refused, groups, send }: Sendable<T>): Promise<DeliverResult> => {
  const known = Array.from({ length: count }, (_, index) => refused?.get(index))
  const sending: Sending = { outcomes: known, latencyMs: 0, httpStatus: 0, inRow: createRefusedInRow() }
  for (const group of groups) {
    try {
      await sendGroup(send, group, sending)
    } catch (error) {
      const failed = failedOutcome(error)
      if (!(error instanceof DeliveryError) || sending.outcomes.every((outcome) => outcome?.kind !== 'delivered'))
        throw error
      if (error.exchange !== undefined) sending.failed ??= error.exchange
      for (const { index } of groups.flat()) sending.outcomes[index] ??= failed
      break
    }
  }
  const missing: EventOutcome = { kind: 'retry', reason: 'Not sent' }
  const outcomes = waitingAlone(sending.outcomes.map((outcome) => outcome ?? missing))
  const { latencyMs, httpStatus, failed } = sending
  return failed === undefined ? { outcomes, latencyMs, httpStatus } : { outcomes, ...failed, latencyMs }
}

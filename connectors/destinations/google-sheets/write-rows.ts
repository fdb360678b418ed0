import { type Call, DeliveryError, type EventOutcome, notSent } from '@tributary/connector-kit'
import { type GivenRow, planRows, type Sheet } from './plan.ts'
import { readSheet } from './read-sheet.ts'
import { ask, type Context, failureOf } from './request.ts'
import type { SheetAddress } from './sheet-address.ts'

/** The outcome of each row, and a request with its response to show. */
export type Written = { outcomes: readonly EventOutcome[]; call: Call | undefined; latencyMs: number }

type Place = { at: number; row: GivenRow }

/**
 * Writes rows to a sheet in their order. Each request takes effect completely or not at all, so a refused request is
 * sent again in halves until each faulty row is found. After a request that must be retried, no more requests are sent.
 * Rejects with a DeliveryError if no row has an outcome yet. Rows that users move between reading and writing are not
 * noticed.
 */
export const writeRows = async (
  context: Context,
  address: SheetAddress,
  rows: readonly GivenRow[],
): Promise<Written> => {
  const outcomes: (EventOutcome | undefined)[] = rows.map(() => undefined)
  let sheet: Sheet | undefined
  let shown: Call | undefined
  let latencyMs = 0
  const settle = (places: readonly Place[], given: (index: number) => EventOutcome | undefined): void => {
    for (const [index, { at }] of places.entries()) outcomes[at] = given(index)
  }

  /** Writes rows; returns false if a request must be retried. */
  const write = async (places: readonly Place[]): Promise<boolean> => {
    sheet ??= await readSheet(context, address)
    const plan = planRows(
      sheet,
      address.identifier,
      places.map(({ row }) => row),
    )
    if (plan.requests.length > 0) {
      const call = await ask(context, 'POST', ':batchUpdate', { requests: plan.requests })
      latencyMs += call.answer.latencyMs
      shown ??= call
      const failure = failureOf(call, context.clock())
      if (failure?.kind === 'rejected' && places.length > 1) {
        const middle = Math.ceil(places.length / 2)
        return (await write(places.slice(0, middle))) && (await write(places.slice(middle)))
      }
      if (failure !== undefined) {
        shown = call
        settle(places, () => failure)
        return failure.kind !== 'retry'
      }
      sheet = undefined
    }
    settle(places, (index) => plan.outcomes[index])
    return true
  }

  let failure: DeliveryError | undefined
  try {
    await write(rows.map((row, at) => ({ at, row })))
  } catch (error) {
    if (!(error instanceof DeliveryError) || outcomes.every((outcome) => outcome === undefined)) throw error
    failure = error
  }
  return { outcomes: outcomes.map((outcome) => outcome ?? notSent(failure)), call: shown, latencyMs }
}

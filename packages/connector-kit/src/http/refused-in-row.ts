import type { EventOutcome } from '../definition/definition.ts'

/**
 * After so many refused items in a row for one reason, the rest of a halved request waits for its next attempt. A reason
 * that all items share would otherwise cost about two requests for each of them. Our own choice.
 */
const maxRefusedInRow = 20

/**
 * Creates the count of single items of halved requests that were refused in a row for one reason. The rest of a batch is
 * not refused for that reason: it was never sent alone, and a good item of it would be lost.
 */
export const createRefusedInRow = () => {
  let reason = ''
  let inRow = 0
  return {
    /** Notes the outcome of an item that was sent alone. Returns the outcome of the rest if it must not be sent. */
    note: (outcome: EventOutcome): EventOutcome | undefined => {
      const own = outcome.kind === 'rejected' ? outcome.reason : ''
      inRow = own !== '' && own === reason ? inRow + 1 : 1
      reason = own
      if (own === '' || inRow < maxRefusedInRow) return undefined
      return { kind: 'retry', reason: `Not sent, because ${maxRefusedInRow} in a row were refused: ${own}` }
    },
  }
}

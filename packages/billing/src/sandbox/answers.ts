import type { Db, Tx } from '@tributary/api-kit'
import { PaymentConfirmation, PaymentDeclined } from '../provider.ts'

/** The result of a call of the sandbox. If the call was declined or needs a confirmation, it has changed nothing. */
export type Outcome<T> = { answer: T } | { declined: string } | { confirm: string }

/** Returns the value of a successful outcome. Throws PaymentDeclined and PaymentConfirmation. */
export const answerOf = <T>(outcome: Outcome<T>): T => {
  if ('declined' in outcome) throw new PaymentDeclined(outcome.declined)
  if ('confirm' in outcome) throw new PaymentConfirmation(outcome.confirm)
  return outcome.answer
}

/**
 * Runs a call once per key: the first call does the work, and every other call with the key gets its result. Results
 * are JSON. Throws PaymentDeclined if the first call was declined, and PaymentConfirmation if it needed a confirmation.
 */
export const once = async <T>(
  db: Db,
  { key, customer, time }: { key: string; customer: string; time: Date },
  ask: (tx: Tx) => Promise<Outcome<T>>,
): Promise<T> => {
  const outcome = await db.transaction().execute(async (tx): Promise<Outcome<T>> => {
    // The lock makes the calls of a customer run one after the other.
    await tx.selectFrom('sandbox_customers').select('id').where('id', '=', customer).forUpdate().execute()
    const before = await tx.selectFrom('sandbox_answers').select('answer').where('key', '=', key).executeTakeFirst()
    if (before !== undefined) return JSON.parse(before.answer) as Outcome<T>
    const found = await ask(tx)
    const answer = JSON.stringify(found)
    await tx.insertInto('sandbox_answers').values({ key, customer, answer, create_time: time }).execute()
    return JSON.parse(answer) as Outcome<T>
  })
  return answerOf(outcome)
}

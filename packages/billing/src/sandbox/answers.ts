import type { Db, Tx } from '@tributary/api-kit'
import { PaymentConfirmation, PaymentDeclined } from '../provider.ts'

/** The result of a call of the sandbox. A declined call, and one that needs a confirmation, has changed nothing. */
export type Outcome<T> = { answer: T } | { declined: string } | { confirm: string }

/** The answer of an outcome. Throws PaymentDeclined and PaymentConfirmation. */
export const answerOf = <T>(outcome: Outcome<T>): T => {
  if ('declined' in outcome) throw new PaymentDeclined(outcome.declined)
  if ('confirm' in outcome) throw new PaymentConfirmation(outcome.confirm)
  return outcome.answer
}

/**
 * Asks once for each key: the first call does it, and every other one, at the same time or later, gets its answer. Answers are JSON.
 * Throws PaymentDeclined where the first one was declined, and PaymentConfirmation where it was to be confirmed.
 */
export const once = async <T>(
  db: Db,
  { key, customer, time }: { key: string; customer: string; time: Date },
  ask: (tx: Tx) => Promise<Outcome<T>>,
): Promise<T> => {
  const outcome = await db.transaction().execute(async (tx): Promise<Outcome<T>> => {
    // Calls of a customer come one after the other.
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

import { expect } from 'vitest'
import { type OnlineStep, rewriteOnline } from '../rewrite-online.ts'
import { findDamage, findLeftovers } from './catalog.ts'
import type { TrialDatabase } from './trial-database.ts'

/**
 * Rewrites people, and runs `act` after a step. Resolves to the reason why the rewrite ended; checks that it left
 * nothing behind.
 */
export const interruptRewrite = async (
  database: TrialDatabase,
  step: OnlineStep,
  act: () => Promise<unknown>,
): Promise<string> => {
  let done = false
  const onStep = async (reached: OnlineStep): Promise<void> => {
    if (reached !== step || done) return
    done = true
    await act()
  }
  const reason = await rewriteOnline('trial.people', database.options({ onStep, swapTries: 3 })).then(
    (hindrance) => hindrance ?? 'done',
    (error: unknown) => String(error),
  )
  expect(done).toBe(true)
  expect(await findLeftovers(database.run)).toEqual([])
  expect(await findDamage(database.run, 'trial')).toEqual([])
  return reason
}

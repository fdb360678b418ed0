import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from '@tributary/http'
import type { Actor } from '@tributary/kernel'

/** Who makes the call that is worked on, and from where. */
export type CallOfNow = { actor: Actor | undefined; client: Client }

const calls = new AsyncLocalStorage<CallOfNow>()

/**
 * The call that the code is worked on for; undefined in jobs. Only for what is written down of every call in the same way: what a
 * handler decides by comes to it as a parameter.
 */
export const callOfNow = (): CallOfNow | undefined => calls.getStore()

/** The same handler, during which `callOfNow` answers its call. */
export const withinCall =
  <Call extends CallOfNow, Result>(handler: (call: Call) => Promise<Result>) =>
  (call: Call): Promise<Result> =>
    calls.run({ actor: call.actor, client: call.client }, () => handler(call))

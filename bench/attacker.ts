// The attacker, in a separate process at the lowest priority. A real attacker has a separate processor, so the cost of
// its client must not count as a cost of the product. Arguments: the URL of a running product, and the URL of the other
// tenant's webhook. The process sends `ready` with the other tenant's key, and after each order the result of the
// order.
import { attacks, createApiClient, createHostileWorld } from '@tributary/test-kit'
import type { AttackerOrder, AttackerReport } from './hostile-attacker.ts'

const [, , url = '', webhook] = process.argv
const world = await createHostileWorld({ url, api: createApiClient(url) }, webhook)
const report = (said: AttackerReport): void => void process.send?.(said)

let striking = false
let strikers: Promise<void>[] = []
let pieces = 0
/** The prepared functions, by the index of the hostile work. Each call does one piece of that work. */
const strikes = new Map<number, () => Promise<unknown>>()

const begin = (index: number, together: number): void => {
  striking = true
  pieces = 0
  strikers = Array.from({ length: together }, async () => {
    while (striking) {
      await strikes
        .get(index)?.()
        .catch(() => undefined)
      pieces++
    }
  })
}

const obey = async ({ order, index }: AttackerOrder): Promise<AttackerReport> => {
  const attack = attacks[index]
  if (attack === undefined) throw new Error(`There is no attack ${index}`)
  if (order === 'prepare') strikes.set(index, await attack.prepare(world))
  else if (order === 'begin') begin(index, attack.together)
  else {
    striking = false
    await Promise.all(strikers)
  }
  return { done: order, pieces }
}

process.on('message', (order: AttackerOrder) => {
  void obey(order).then(report, (error: unknown) => report({ failed: String(error) }))
})
process.once('disconnect', () => process.exit(0))
report({ ready: world.victimKey })

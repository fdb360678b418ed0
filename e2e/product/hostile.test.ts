import {
  type Attack,
  attacks,
  createHostileWorld,
  forgetPeak,
  type HostileWorld,
  type Product,
  peakBytes,
  processFamily,
  residentBytes,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MiB = 1024 * 1024
const maxGrowth = 100 * MiB

let product: Product
let world: HostileWorld

beforeAll(async () => {
  product = await startProduct()
  world = await createHostileWorld(product)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await product?.[Symbol.asyncDispose]()
})

/** What a kind of work did: its answers and the most growth of a process. */
const suffer = async (attack: Attack) => {
  const strike = await attack.prepare(world)
  const before = new Map(processFamily(product.pid).map((pid) => [pid, residentBytes(pid)]))
  for (const pid of before.keys()) forgetPeak(pid)
  const outcomes = await Promise.all(Array.from({ length: attack.together }, strike))
  const growth = processFamily(product.pid).map((pid) => peakBytes(pid) - (before.get(pid) ?? 0))
  return { outcomes, growth: Math.max(...growth) }
}

test.for(attacks.map((attack) => [attack.what, attack] as const))(
  '%s: is cut off at its limit and told so, and no process grows by 100 MiB',
  async ([, attack]) => {
    const { outcomes, growth } = await suffer(attack)
    for (const { statuses, said } of outcomes) {
      for (const status of statuses) expect(attack.answers).toContain(status)
      expect(said).toMatch(attack.says)
    }
    expect(growth).toBeLessThan(maxGrowth)
  },
)

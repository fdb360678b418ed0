import {
  type Attack,
  forgetPeak,
  type HostileWorld,
  type Product,
  peakBytes,
  processFamily,
  residentBytes,
} from '@tributary/test-kit'
import { expect } from 'vitest'

const MiB = 1024 * 1024
const maxGrowth = 100 * MiB

/**
 * Runs a kind of hostile work once. Each piece is stopped at its limit with a response that says so, and no process of
 * these products grows by 100 MiB.
 */
export const suffer = async (attack: Attack, world: HostileWorld, products: readonly Product[]): Promise<void> => {
  const strike = await attack.prepare(world)
  const family = (): number[] => products.flatMap(({ pid }) => processFamily(pid))
  const before = new Map(family().map((pid) => [pid, residentBytes(pid)]))
  for (const pid of before.keys()) forgetPeak(pid)
  const outcomes = await Promise.all(Array.from({ length: attack.together }, strike))
  for (const { statuses, said } of outcomes) {
    for (const status of statuses) expect(attack.answers).toContain(status)
    expect(said).toMatch(attack.says)
  }
  const growth = family().map((pid) => peakBytes(pid) - (before.get(pid) ?? 0))
  expect(Math.max(...growth)).toBeLessThan(maxGrowth)
}

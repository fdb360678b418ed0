import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  eventually,
  type Names,
  noteSyncs,
  type Product,
  skipsPowerLoss,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { expectNothingLost, prepare, startLoad } from './acknowledged-load.ts'

const soakRounds = Number(process.env.SOAK_ROUNDS ?? 0)
/**
 * Times of the power losses, in ms after load is acknowledged again: a few fixed times, or `soakRounds` random times.
 */
const pauses = soakRounds === 0 ? [900, 300] : Array.from({ length: soakRounds }, () => Math.random() * 4000)
/** Returns when file names reach the disk: as late as possible and as early as possible, in alternation. */
const namesOf = (round: number): Names => (round % 2 === 0 ? 'journal' : 'newest')

test.skipIf(skipsPowerLoss())(
  'after power losses at random moments under load, acknowledged events are stored exactly once and delivered at least once',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'tributary-power-loss-'))
    const receiver = await startWebhookReceiver({ keepBodies: false })
    let product: Product | undefined
    try {
      let dataDir = join(root, 'data')
      mkdirSync(dataDir)
      let made: Awaited<ReturnType<typeof prepare>> | undefined
      let sending: ReturnType<typeof startLoad> | undefined
      for (const [round, pause] of pauses.entries()) {
        using synced = noteSyncs(dataDir, namesOf(round))
        const current = await startProduct({ dataDir, env: synced.env, fromNothing: true })
        product = current
        made ??= await prepare(current, receiver)
        sending ??= startLoad(() => product ?? current, made.key)
        const { acknowledged } = sending
        const before = acknowledged.size
        await eventually('load is acknowledged', () => acknowledged.size > before + 20, 60_000)
        await new Promise((resolve) => setTimeout(resolve, pause))
        dataDir = join(root, `left-${round}`)
        synced.losePower(dataDir)
        await current.ended
      }
      product = await startProduct({ dataDir })
      await sending?.stop()
      await product.api.login(adminCredentials)
      await expectNothingLost(product, made?.source ?? '', receiver, sending?.acknowledged ?? new Set())
      expect(sending?.acknowledged.size).toBeGreaterThan(pauses.length * 20)
      expect(await product.stop()).toBe(0)
    } finally {
      await product?.stop()
      await receiver.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 10 })
    }
  },
  180_000 + soakRounds * 30_000,
)

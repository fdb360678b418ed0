import { expect, test } from 'vitest'
import { createDiskWatch } from './disk.ts'

test('the watch reports a full disk below the reserve, and a free one only well above it', async () => {
  let free = 100
  const turns: boolean[] = []
  const watch = createDiskWatch({
    folder: '/',
    reserveBytes: 50,
    freeBytes: async () => free,
    onChange: (ok) => turns.push(ok),
  })
  const at = async (bytes: number): Promise<boolean> => {
    free = bytes
    await watch.check()
    return watch.ok()
  }
  expect([await at(60), await at(50), await at(49), await at(60), await at(74), await at(75), await at(51)]).toEqual([
    true,
    true,
    false,
    false,
    false,
    true,
    true,
  ])
  expect(turns).toEqual([false, true])
  watch.stop()
})

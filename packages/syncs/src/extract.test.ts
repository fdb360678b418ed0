import { expect, test } from 'vitest'
import { extractRows } from './extract.ts'

test('an extraction that fails ends only after its pending write, so that deleted rows are not written again', async () => {
  const happened: string[] = []
  const storing = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  const session = {
    describe: async () => [{ name: 'id', type: 'text', nullable: false }],
    async *read() {
      yield Array.from({ length: 50_000 }, (_, at) => [String(at)])
      await storing.promise
      throw new Error('The database went away')
    },
  }
  const store = {
    async stage() {
      storing.resolve()
      await stored.promise
      happened.push('stored')
    },
  }
  const row = { key: 'a', sourceKey: 'a', payload: '{}', problem: '' }
  const given = { model: { query: { sql: 'select id from people' } }, staging: () => () => row }
  const reading = extractRows(session, store, 'run', given).catch((error: Error) => happened.push(error.message))
  await storing.promise
  // Lets the event loop turn, so that pending work could end the reading.
  await new Promise(setImmediate)
  expect(happened).toEqual([])
  stored.resolve()
  await reading
  expect(happened).toEqual(['stored', 'The database went away'])
})

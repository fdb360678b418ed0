import { InsertRejected } from '@tributary/storage'
import { describe, expect, it } from 'vitest'
import { storeRefused, TableRefuses } from './bisect.ts'

/** An engine that refuses rows with 'bad' in them, names the row with `names`, and drops repeated tokens. */
const createEngine = ({ names = false, refuses = (row: string) => row.includes('bad') } = {}) => {
  const stored: string[] = []
  const tokens = new Map<string, string>()
  let calls = 0
  return {
    stored,
    tokens,
    calls: () => calls,
    insert: async (rows: readonly string[], token: string): Promise<void> => {
      calls++
      const at = rows.findIndex(refuses)
      if (at >= 0) throw new InsertRejected(117, `row ${at + 1} is bad`, names ? at + 1 : undefined)
      const text = rows.join('\n')
      const before = tokens.get(token)
      if (before !== undefined) {
        expect(text).toBe(before)
        return
      }
      tokens.set(token, text)
      stored.push(...rows)
    },
  }
}

const options = {
  replace: (row: string, _message: string, form: string) => `${form}:${row.replace('bad', 'mended')}`,
  ownerOf: (row: string) => row.split('/')[0] ?? '',
  patience: 1000,
}
const refusal = new InsertRejected(117, 'no')
const rows = (count: number, bad: (n: number) => boolean): string[] =>
  Array.from({ length: count }, (_, n) => (bad(n) ? `x/bad${n}` : `y/${n}`))

describe.each([{ names: false }, { names: true }])(
  'storing rows that the engine refuses, if the engine names the row: $names',
  ({ names }) => {
    it.each([
      ['one culprit', (n: number) => n === 617],
      ['the first', (n: number) => n === 0],
      ['the last', (n: number) => n === 999],
      ['neighbours', (n: number) => n === 500 || n === 501],
      ['every tenth', (n: number) => n % 10 === 0],
    ])('storing refused rows keeps every row in order and replaces exactly the faulty rows: %s', async (_, bad) => {
      const engine = createEngine({ names })
      const all = rows(1000, bad)
      const result = await storeRefused(engine.insert, all, 't', refusal, options)
      expect(engine.stored).toEqual(
        all.map((row) => (row.includes('bad') ? `full:${row.replace('bad', 'mended')}` : row)),
      )
      expect(result.replaced).toBe(all.filter((row) => row.includes('bad')).length)
    })

    it('a repeated run inserts the same parts under the same tokens', async () => {
      const engine = createEngine({ names })
      const all = rows(100, (n) => n === 3 || n === 77)
      await storeRefused(engine.insert, all, 't', refusal, options)
      const before = [...engine.stored]
      await storeRefused(engine.insert, all, 't', refusal, options)
      expect(engine.stored).toEqual(before)
    })
  },
)

describe('storing refused rows', () => {
  it('one faulty row among thousands is found with few inserts', async () => {
    const engine = createEngine()
    await storeRefused(
      engine.insert,
      rows(4096, (n) => n === 1234),
      't',
      refusal,
      options,
    )
    expect(engine.calls()).toBeLessThan(30)
  })

  it('after too many refusals, all rows of a faulty sender are replaced, and the rows of other senders are stored unchanged', async () => {
    const engine = createEngine()
    const all = rows(4000, (n) => n % 2 === 0)
    await storeRefused(engine.insert, all, 't', refusal, { ...options, patience: 20 })
    expect(engine.calls()).toBeLessThan(80)
    expect(engine.stored.filter((row) => row.startsWith('y/'))).toHaveLength(2000)
    expect(engine.stored.filter((row) => row.startsWith('full:'))).toHaveLength(2000)
  })

  it("each sender gets only the engine's message about the sender's own rows", async () => {
    const engine = createEngine()
    const insert = async (part: readonly string[], token: string): Promise<void> => {
      const bad = part.find((row) => row.includes('bad'))
      if (bad !== undefined) throw new InsertRejected(117, `refused: ${bad.split('/')[0]}`)
      await engine.insert(part, token)
    }
    const all = Array.from({ length: 400 }, (_, n) => `${n % 2 ? 'x' : 'y'}/bad${n}`)
    const replace = (row: string, message: string) => `${row.replace('bad', 'n')} ${message}`
    await storeRefused(insert, all, 't', refusal, { ...options, replace, patience: 10 })
    expect(engine.stored).toEqual(all.map((row) => replace(row, `refused: ${row[0]}`)))
  })

  it('a row without details is stored if its full replacement is refused', async () => {
    const engine = createEngine({ refuses: (row) => row.includes('bad') || row.startsWith('full:') })
    await storeRefused(engine.insert, ['y/1', 'x/bad'], 't', refusal, options)
    expect(engine.stored).toEqual(['y/1', 'bare:x/mended'])
  })

  it('a refusal that no replacement fixes is thrown as TableRefuses', async () => {
    const engine = createEngine({ refuses: () => true })
    await expect(storeRefused(engine.insert, ['a', 'b'], 't', refusal, options)).rejects.toBeInstanceOf(TableRefuses)
  })

  it('any other failure is thrown unchanged', async () => {
    const away = new Error('away')
    await expect(storeRefused(() => Promise.reject(away), ['a', 'b'], 't', refusal, options)).rejects.toBe(away)
  })
})

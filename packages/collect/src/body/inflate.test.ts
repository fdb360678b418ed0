import { once } from 'node:events'
import { brotliCompressSync, constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { createPool, createWorkShare, type WorkShare } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { type InflateTerms, inflate, knownInflating, strangersInflating } from './inflate.ts'

const MiB = 1024 * 1024

/** Decompresses with `room` bytes left in the budget; returns the outcome and the total bytes taken from the budget. */
const run = async (
  encoding: string,
  body: Buffer,
  left: number,
  limit = 4 * MiB,
  terms: InflateTerms = knownInflating,
) => {
  const pool = createPool({ total: 100 * MiB, shares: { network: left + body.length }, shrinking: ['network'] })
  const sender = pool.open({ network: 'sender' })
  sender.add(body.length)
  let taken = 0
  const held = {
    add(bytes: number): boolean {
      const fits = sender.add(bytes)
      if (fits) taken += bytes
      return fits
    },
    drop: (bytes: number) => sender.drop(bytes),
  }
  const result = await new Promise((resolve) =>
    inflate(encoding, body, { limit, owner: 'sender', held, terms }, resolve),
  )
  return { result: Buffer.isBuffer(result) ? result.length : result, taken, used: pool.held() }
}

const piece = 64 * 1024
const zeros = Buffer.alloc(64 * MiB)

test.each([
  ['gzip', gzipSync(zeros)],
  ['br', brotliCompressSync(zeros)],
  ['zstd', zstdCompressSync(zeros)],
])('decompressing a bomb of %s stops at the piece that exceeds the budget', async (encoding, bomb) => {
  const { result, taken } = await run(encoding, bomb, 100_000)
  expect(result).toBe('overloaded')
  expect(taken).toBeLessThanOrEqual(100_000)
})

test.each([
  ['beyond the limit', 64 * MiB, 4 * MiB],
  ['beyond a megabyte and 200 times its own size', 4 * MiB, MiB],
])('decompression stops when the body grows %s', async (_, bytes, room) => {
  const { result, taken } = await run('gzip', gzipSync(zeros.subarray(0, bytes)), 50 * MiB)
  expect(result).toBe('too-large')
  expect(taken).toBeLessThanOrEqual(room + piece)
})

test('the decompressed body is counted instead of the compressed one', async () => {
  const text = Buffer.from(JSON.stringify({ batch: Array.from({ length: 20_000 }, (_, i) => ({ userId: `u${i}` })) }))
  expect(await run('gzip', gzipSync(text), MiB)).toEqual({
    result: text.length,
    taken: text.length,
    used: text.length,
  })
})

test('a zstd body whose window is larger than HTTP allows is rejected', async () => {
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } })
  const chunks: Buffer[] = []
  compress.on('data', (chunk: Buffer) => chunks.push(chunk))
  compress.write('{"userId":"u1"}')
  compress.end()
  await once(compress, 'end')
  expect((await run('zstd', Buffer.concat(chunks), MiB)).result).toBe('bad-compression')
})

test('a compressed body without a known key may grow to 64 KiB or to 50 times its size, and no more', async () => {
  const bomb = gzipSync(zeros.subarray(0, 4 * MiB))
  const text = gzipSync('{"userId":"u1"}')
  const terms = strangersInflating()
  const bodies = [bomb, text, bomb, Buffer.from('no gzip'), text]
  const outcomes = await Promise.all(bodies.map((body) => run('gzip', body, 4 * MiB, MiB, terms)))
  expect(outcomes.map(({ result }) => result)).toEqual(['too-large', 15, 'too-large', 'bad-compression', 15])
  expect(outcomes[0]?.taken).toBeLessThanOrEqual(bomb.length * 50 + piece)
})

test('compressed bodies of one network are charged by size and limited in number, and bodies of other networks continue', () => {
  const jobs: (() => void)[] = []
  const charged: [string, number][] = []
  const share: WorkShare = {
    ...createWorkShare(),
    charge: (owner, ms) => void charged.push([owner, ms]),
    later: (owner, job) => owner === 'b' || jobs.push(job) <= 2,
  }
  const terms = strangersInflating(share)
  const begun = [1, 2, 3].map(() => terms.begin('a', MiB, () => {}))
  expect([...begun, terms.begin('b', MiB, () => {})]).toEqual([true, true, false, true])
  expect(charged).toEqual([])
  jobs[0]?.()
  expect(charged).toEqual([['a', 8]])
})

test('a compressed body that cannot wait for its turn is rejected as overloaded, and not decompressed', async () => {
  const terms: InflateTerms = { ...strangersInflating(), begin: () => false }
  expect(await run('gzip', gzipSync(zeros), 50 * MiB, 4 * MiB, terms)).toMatchObject({ result: 'overloaded', taken: 0 })
})

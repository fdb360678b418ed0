import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readAll } from '../conformance.ts'
import { expectIntact, killRounds, maxBodyBytes, startLoad } from './crash-rounds.ts'
import { expectAnswered, killJournalProcess } from './journal-rounds.ts'
import { bodyOf } from './load-body.ts'
import { openLogReader } from './reader.ts'
import { createFolder } from './testing.ts'
import { openLogWriter } from './writer.ts'

const rounds = Number(process.env.SOAK_ROUNDS ?? 4)
const runs = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

const canMount = runs('unshare', '--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt')
const canTrace = runs('strace', '-f', '-o', '/dev/null', 'true')

describe('the log after crashes and faults', () => {
  test('a writer that is killed at random moments under load loses, repeats, and changes no acknowledged record', async () => {
    await using folder = await createFolder()
    expect(await killRounds(folder.path, rounds)).toBeGreaterThan(0)
  })

  test('a producer that is killed at random moments finds its last stored sequence, and each group is stored completely and once', async () => {
    await using folder = await createFolder()
    const script = fileURLToPath(new URL('./producer-process.ts', import.meta.url))
    let last = 0
    for (let round = 0; round < rounds; round++) {
      const child = spawn(process.execPath, [script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] })
      let said = ''
      const enough = 20 + Math.random() * 200
      for await (const chunk of child.stdout) {
        said += String(chunk)
        if (said.length > enough) child.kill('SIGKILL')
      }
      const acknowledged = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
      const writer = await openLogWriter({ dir: folder.path, partitions: 4, inline: true })
      last = (await writer.lastSequences('p'))[0]?.sequence ?? 0
      expect(last).toBeGreaterThanOrEqual(acknowledged)
      await writer.close()
      const reader = openLogReader({ dir: folder.path })
      expect((await readAll(reader)).map(({ meta }) => meta)).toEqual(
        Array.from({ length: last }, (_, n) =>
          Array.from({ length: 1 + ((n + 1) % 3) }, (_each, index) => `${n + 1} ${index}`),
        ).flat(),
      )
      reader.close()
    }
    expect(last).toBeGreaterThan(rounds)
  })

  // Needs its own file system, which the kernel may forbid.
  test.skipIf(!canMount)(
    'appends are rejected while the disk is full, and succeed again without a restart',
    async () => {
      await using folder = await createFolder()
      const dir = join(folder.path, 'log')
      await mkdir(dir)
      // The file system has 12 MB; a filler uses half of it, and is deleted when the file 'release' appears.
      const script = `mount -t tmpfs -o size=12m none ${dir} && head -c 6000000 /dev/zero > ${dir}/filler
      (while [ ! -e ${folder.path}/release ]; do sleep 0.05; done; rm ${dir}/filler) > /dev/null &
      "$@"; cp -r ${dir} ${folder.path}/copy`
      const wrap = ['unshare', '--user', '--map-root-user', '--mount', 'bash', '-c', script, 'bash']
      const load = startLoad(dir, 'full', { wrap })
      try {
        await load.until('refusals', () => load.refused.size >= 20)
        expect(load.acknowledged.size).toBeGreaterThan(0)
        expect(new Set(load.refused.values())).toEqual(new Set(['LogUnavailable']))
        const before = load.acknowledged.size
        spawnSync('touch', [join(folder.path, 'release')])
        await load.until('appends again', () => load.acknowledged.size > before + 200)
        await load.killWriter()
        // The mount disappears with its last process, so this checks a duplicate of its content.
        await expectIntact(join(folder.path, 'copy'), [load])
      } finally {
        await load.kill()
      }
    },
  )

  const failures = [
    { title: 'syncs that fail for a while are a fault', when: '40..44', recovers: true },
    { title: 'syncs that fail for good are a fault', when: '40+', recovers: false },
  ]
  for (const { title, when, recovers } of failures)
    test.skipIf(!canTrace)(
      `${title} that acknowledges nothing, and after a kill no rejected record can be read`,
      async () => {
        await using folder = await createFolder()
        const trace = join(folder.path, 'trace.txt')
        const inject = ['-e', 'trace=fdatasync,fsync', '-e', `inject=fdatasync,fsync:error=EIO:when=${when}`]
        const load = startLoad(join(folder.path, 'log'), 'sync', { wrap: ['strace', '-f', '-o', trace, ...inject] })
        try {
          await load.until('refusals', () => load.refused.size >= (recovers ? 1 : 40))
          const before = load.acknowledged.size
          if (recovers) await load.until('appends again', () => load.acknowledged.size > before + 100)
        } finally {
          await load.kill()
        }
        expect(readFileSync(trace, 'utf8')).toContain('EIO (Input/output error) (INJECTED)')
        const writer = await openLogWriter({ dir: join(folder.path, 'log'), partitions: 8 })
        await expectIntact(join(folder.path, 'log'), [load])
        await writer.append({ key: 'after', meta: 'after', body: bodyOf('after', maxBodyBytes) })
        await expectIntact(join(folder.path, 'log'), [load])
        await writer.close()
      },
    )

  test.skipIf(!canTrace)(
    'in the system calls of a run without faults, every acknowledgment follows the sync of its write',
    async () => {
      await using folder = await createFolder()
      const trace = join(folder.path, 'trace.txt')
      // Traces only the thread that writes and acknowledges, since calls of others would split its lines.
      const strace = ['strace', '-y', '-s', '24', '-o', trace, '-e', 'trace=pwrite64,fdatasync,fsync,write']
      const load = startLoad(join(folder.path, 'log'), 'order', { wrap: strace, inline: true })
      await load.until('acknowledgements', () => load.acknowledged.size >= 300)
      await load.kill()
      let unsynced = 0
      let syncs = 0
      let acknowledgements = 0
      for (const line of readFileSync(trace, 'utf8').split('\n')) {
        if (/pwrite64\(\d+<[^>]*-wal>/.test(line)) unsynced++
        if (/(?:fdatasync|fsync)\(\d+<[^>]*-wal>\)\s+= 0/.test(line)) {
          unsynced = 0
          syncs++
        }
        if (/write\(1<[^>]*>, "ack /.test(line)) {
          acknowledgements++
          expect(unsynced).toBe(0)
        }
      }
      expect(acknowledgements).toBeGreaterThanOrEqual(300)
      expect(syncs).toBeGreaterThan(10)
    },
  )
})

describe('the journal after crashes', () => {
  test('the journal after kills at random moments has all acknowledged writes, and a range and its IDs only together', async () => {
    await using folder = await createFolder()
    const file = join(folder.path, 'journal.db')
    let position = 0
    for (let round = 0; round < rounds; round++)
      position = expectAnswered(file, await killJournalProcess(file, position))
    expect(position).toBeGreaterThan(0)
  })
})

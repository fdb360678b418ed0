import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataDirLocked, DataDirUnusable, lockDataDir } from './data-dir-lock.ts'
import { identify } from './processes.ts'

const lockModule = fileURLToPath(new URL('./data-dir-lock.ts', import.meta.url))

let dir: string
const others: ChildProcess[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tributary-lock-'))
})
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

/**
 * Another process that tries to lock the folder; its first line is `locked` or the refusal. It then waits. It takes another account
 * after its modules are loaded: that account may be unable to reach the checkout.
 */
const otherProcess = async (account?: number): Promise<{ child: ChildProcess; says: string }> => {
  const become = account === undefined ? '' : `process.setgid(${account}); process.setuid(${account})`
  const program = `
    import { lockDataDir } from ${JSON.stringify(lockModule)}
    ${become}
    try { lockDataDir(${JSON.stringify(dir)}); console.log('locked') } catch (error) { console.log(error.message) }
    setInterval(() => {}, 1000)`
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  others.push(child)
  const [says] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, says: String(says) }
}

describe('lockDataDir', () => {
  it('a locked data folder refuses a second process and names the first', async () => {
    const first = await otherProcess()
    expect(first.says).toBe('locked')
    expect(() => lockDataDir(dir)).toThrow(DataDirLocked)
    expect(() => lockDataDir(dir)).toThrow(new RegExp(`the process with the id ${first.child.pid}\\b`))
  })

  it('a locked data folder refuses a second lock of the same process', async () => {
    await using _held = lockDataDir(dir)
    expect(() => lockDataDir(dir)).toThrow(DataDirLocked)
  })

  it('if several processes start together, exactly one gets the lock of the data folder', async () => {
    const answers = await Promise.all([otherProcess(), otherProcess(), otherProcess(), otherProcess()])
    expect(answers.filter(({ says }) => says === 'locked')).toHaveLength(1)
  })

  it('a process takes over the data folder lock of a killed process', async () => {
    const first = await otherProcess()
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    await using held = lockDataDir(dir)
    expect(held.dir).toBe(dir)
  })

  it("a process takes over the lock if the owner's pid belongs to a process with another start time", async () => {
    writeFileSync(join(dir, 'tributary.owner.json'), JSON.stringify({ pid: process.ppid, startTime: '1' }))
    await using held = lockDataDir(dir)
    expect(held.dir).toBe(dir)
  })

  it('the lock is refused while the recorded owner runs, even if the file system does not lock', () => {
    writeFileSync(join(dir, 'tributary.owner.json'), JSON.stringify(identify(process.ppid)))
    expect(() => lockDataDir(dir)).toThrow(new RegExp(`the process with the id ${process.ppid}\\b`))
  })

  it('a process takes over the lock if its record is incomplete', async () => {
    writeFileSync(join(dir, 'tributary.owner.json'), '{"pid": 1')
    await using held = lockDataDir(dir)
    expect(held.dir).toBe(dir)
  })

  it('the lock is free again after release, and a missing folder is created for its user alone', async () => {
    const missing = join(dir, 'a', 'b')
    await lockDataDir(missing).release()
    await using again = lockDataDir(missing)
    expect((await stat(again.dir)).mode & 0o777).toBe(0o700)
  })

  it('locking closes a data folder that was open to all users', async () => {
    chmodSync(dir, 0o755)
    await using held = lockDataDir(dir)
    expect((await stat(held.dir)).mode & 0o777).toBe(0o700)
    expect((await stat(join(dir, 'tributary.lock'))).mode & 0o777).toBe(0o600)
  })

  it('an unusable data folder (a file, below a file, or not writable) is reported with advice', async () => {
    const file = join(dir, 'file')
    writeFileSync(file, '')
    expect(() => lockDataDir(file)).toThrow(DataDirUnusable)
    expect(() => lockDataDir(file)).toThrow(/file cannot be used: it is a file, not a folder\. Choose another/)
    expect(() => lockDataDir(join(file, 'x'))).toThrow(/a part of its path is a file/)
    chmodSync(dir, 0o555)
    const { says } = await otherProcess(process.getuid?.() === 0 ? 65_534 : undefined)
    expect(says).toMatch(
      /cannot be used: this user is not allowed to write there\. Choose another folder with TRIBUTARY_DATA_DIR/,
    )
    chmodSync(dir, 0o755)
  })
})
